// An alert as the form has it: texts and choices that may be unfinished.
import { type AlertNumber, type AlertRule, NUMBERS_OF, RULES_OF_NO_FLOW } from '../../../../src/base/alert-rules.ts'
import type { Alert, AlertRequest } from '../../api/api-types.ts'

export interface AlertDraft {
  rule: AlertRule
  numbers: Record<AlertNumber, number | ''>
  scope: 'all' | 'tag' | 'flow'
  tag: string | null
  flow: string | null
  kind: 'webhook' | 'email'
  url: string
  secret: string
  to: string[]
}

/** What is offered for a rule that needs a number. */
const OFFERED: Record<AlertNumber, number> = { count: 10, minutes: 5, seconds: 60 }

export function draftOf(alert: Alert | null): AlertDraft {
  const target = alert?.target
  return {
    rule: alert?.rule ?? 'first_failure',
    numbers: {
      count: alert?.count ?? OFFERED.count,
      minutes: alert?.minutes ?? OFFERED.minutes,
      seconds: alert?.seconds ?? OFFERED.seconds,
    },
    scope: alert?.flow ? 'flow' : alert?.tag ? 'tag' : 'all',
    tag: alert?.tag ?? null,
    flow: alert?.flow?.id ?? null,
    kind: target?.kind ?? 'webhook',
    url: target?.kind === 'webhook' ? target.url : '',
    secret: '',
    to: target?.kind === 'email' ? target.to : [],
  }
}

export const numbersOf = (rule: AlertRule): AlertNumber[] => Object.keys(NUMBERS_OF[rule] ?? {}) as AlertNumber[]

export const isAboutFlows = (rule: AlertRule): boolean => !RULES_OF_NO_FLOW.has(rule)

/** Returns what is sent: only what the rule takes. */
export function requestOf({ rule, numbers, scope, tag, flow, kind, url, secret, to }: AlertDraft): AlertRequest {
  const given = numbersOf(rule).flatMap((name) => (numbers[name] === '' ? [] : [[name, numbers[name]] as const]))
  const about = isAboutFlows(rule) ? { tag: tag && { tag }, flow: flow && { flow }, all: null }[scope] : null
  return {
    rule,
    ...Object.fromEntries(given),
    ...about,
    target:
      kind === 'email' ? { kind, to } : { kind, url: url.trim(), ...(secret.trim() && { secret: secret.trim() }) },
  }
}

/** Returns whether the scope is chosen to the end. */
export const isScoped = ({ rule, scope, tag, flow }: AlertDraft): boolean =>
  !isAboutFlows(rule) || scope === 'all' || (scope === 'tag' ? tag : flow) !== null
