// What alerts are called in the UI.
import type { AlertNumber, AlertRule } from '../../../../src/base/alert-rules.ts'
import type { Alert } from '../../api/api-types.ts'
import { plural } from '../../ui/format.ts'

/** The default of the rule about schedules. */
const LATE_SECONDS = 60

export const RULE_LABELS: Record<AlertRule, string> = {
  first_failure: 'First failure',
  failures: 'Many failures',
  recovered: 'Recovery',
  rejections: 'Rejected deliveries',
  schedule_late: 'Late schedule',
  reconnect: 'Connection to connect again',
  certificate_expires: 'Expiring certificate',
  queue_age: 'Long queue',
  storage: 'Disk or database trouble',
}

export const RULE_HINTS: Record<AlertRule, string> = {
  first_failure: 'A run fails and the run before it did not.',
  failures: 'This many runs of a flow fail within this many minutes.',
  recovered: 'A run succeeds after one that failed.',
  rejections: 'This many deliveries to a flow are rejected in a row.',
  schedule_late: 'A planned run does not start in time, or was missed.',
  reconnect: 'A connection has lost its access.',
  certificate_expires: 'The client certificate of a connection expires within 14 days, or has expired.',
  queue_age: 'A run waits for its turn for too long.',
  storage: 'The disk is full, or the database does not work.',
}

export const NUMBER_LABELS: Record<AlertNumber, string> = { count: 'Count', minutes: 'Minutes', seconds: 'Seconds' }

/** The rule in a few words, with its numbers. */
export function ruleInWords({ rule, count = 1, minutes = 1, seconds = LATE_SECONDS }: Alert): string {
  switch (rule) {
    case 'failures':
      return `${plural(count, 'failure')} within ${plural(minutes, 'minute')}`
    case 'rejections':
      return `${plural(count, 'delivery', 'deliveries')} rejected in a row`
    case 'schedule_late':
      return `A schedule is ${plural(seconds, 'second')} late or missed a time`
    case 'queue_age':
      return `A run waits for more than ${plural(seconds, 'second')}`
    case 'recovered':
      return 'A flow succeeds again'
    case 'certificate_expires':
      return 'A client certificate expires within 14 days'
    case 'reconnect':
      return 'A connection must be connected again'
    default:
      return RULE_LABELS[rule]
  }
}

export const scopeInWords = ({ flow, tag }: Alert): string =>
  flow ? (flow.name ?? 'A deleted flow') : tag === null ? 'All flows' : `Flows with the tag ${tag}`

export const targetInWords = ({ target }: Alert): string =>
  target.kind === 'email' ? target.to.join(', ') : target.url
