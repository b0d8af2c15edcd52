// Outcomes as a coloured dot and a word: nobody has to tell colours apart.
import type { ConnectionState, DeliveryOutcome, RunStatus, StepStatus } from '../api/api-types.ts'
import classes from './status.module.css'

export type Status =
  | RunStatus
  | StepStatus
  | DeliveryOutcome
  | ConnectionState
  | 'stored'
  | 'unproven'
  | 'troubled'
  | 'draft'
  | 'published'
type Tone = 'ok' | 'wait' | 'bad' | 'busy' | 'idle'

const STATUSES: Record<Status, [tone: Tone, word: string]> = {
  queued: ['idle', 'Queued'],
  running: ['busy', 'Running'],
  waiting: ['wait', 'Waiting'],
  succeeded: ['ok', 'Succeeded'],
  troubled: ['wait', 'Succeeded, with trouble'],
  failed: ['bad', 'Failed'],
  cancelled: ['idle', 'Cancelled'],
  accepted: ['ok', 'Accepted'],
  duplicate: ['idle', 'Duplicate'],
  filtered: ['idle', 'Filtered'],
  handshake: ['ok', 'Handshake'],
  rejected: ['bad', 'Rejected'],
  callback: ['ok', 'Callback'],
  early: ['wait', 'Early'],
  repeated: ['idle', 'Repeated'],
  draft: ['idle', 'Draft'],
  published: ['ok', 'Published'],
  ready: ['ok', 'Ready'],
  stored: ['idle', 'Not tested'],
  unproven: ['wait', 'Not proven'],
  unconnected: ['wait', 'Not connected'],
  reconnect: ['bad', 'Connect again'],
}

export const statusWord = (status: Status): string => STATUSES[status][1]

export function StatusDot({ status, word = true }: { status: Status; word?: boolean | string }) {
  const [tone, name] = STATUSES[status]
  const said = typeof word === 'string' ? word : name
  return (
    <span className={classes.status} data-tone={tone} title={word ? undefined : said}>
      <span className={classes.dot} data-hollow={tone === 'idle' || undefined} aria-hidden="true" />
      {word ? said : <span className={classes.hidden}>{said}</span>}
    </span>
  )
}
