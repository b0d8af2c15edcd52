// What became of a delivery, and what its caller got, in words.
import type { InboxEntry } from '../../api/api-types.ts'

type Judged = Pick<InboxEntry, 'outcome' | 'code' | 'message' | 'status' | 'runId'>

/** One line, for the list. */
export function deliveryReason({ outcome, code, message, runId }: Judged): string {
  switch (outcome) {
    case 'accepted':
      return 'Started a run'
    case 'duplicate':
      return 'Repeats an earlier delivery: nothing was started'
    case 'filtered':
      return runId === null
        ? 'Does not match the trigger’s filter: nothing was started'
        : 'Does not match the filter of the step that waits: its run waits on'
    case 'handshake':
      return 'The sender checked the URL, and got its answer'
    case 'rejected':
      return message ?? `Refused as ${code ?? 'not valid'}`
    case 'callback':
      return 'Answered a run that waited'
    case 'early':
      return 'Came before its run waited: kept for it'
    case 'repeated':
      return 'Repeats an answer that its run has already'
  }
}

/** What to know or do about it. */
export function deliveryAdvice({ outcome, code, runId }: Judged): string {
  switch (outcome) {
    case 'accepted':
      return 'The delivery was stored before the caller got a reply.'
    case 'duplicate':
      return 'The trigger recognizes duplicates. The caller got a success reply that names the run of the first delivery.'
    case 'filtered':
      return `The condition “Only when” of the ${runId === null ? 'trigger' : 'step'} was not true for it. The caller got a success reply.`
    case 'handshake':
      return 'It starts no run. Events come once the sender is content with the answer.'
    case 'rejected':
      return REJECTIONS[code ?? ''] ?? 'Nothing was started. Fix what the message names, and let the sender try again.'
    case 'callback':
      return 'The run went on with it. The answer was stored before the caller got a reply.'
    case 'early':
      return 'The run takes it when it comes to its wait, unless the condition of the step does not take it.'
    case 'repeated':
      return 'The same was sent before. The caller got a success reply that names the run.'
  }
}

const REJECTIONS: Record<string, string> = {
  unauthorized:
    'The request lacks the credentials that the trigger asks for. Compare its authentication with the headers and the query below.',
  bad_request: 'The trigger does not accept the body or its content type. The sender must fix it.',
  payload_too_large: 'The body is larger than this server accepts (MILLRACE_MAX_BODY).',
  method_not_allowed:
    'A webhook accepts only POST, unless its trigger says who sends or has a handshake; the sender used another method.',
  webhook_not_found: 'A webhook works only while its flow is published. The sender got 404.',
  callback_closed: 'Its run has an answer already, waits no more, or has ended. The sender got 410.',
  loop_detected:
    'Webhooks called each other more than ten times in a row. One of the flows calls itself, perhaps through others.',
}

/** Whether somebody let in what was rejected. Ids sort by time: what was meant for a run that waited is later than that run. */
export const wasAdmitted = ({ id, outcome, runId }: Pick<InboxEntry, 'id' | 'outcome' | 'runId'>): boolean =>
  outcome === 'rejected' && runId !== null && timeOf(runId) > timeOf(id)

const timeOf = (id: string): string => id.slice(id.indexOf('_') + 1)

export function callerGot({ status, outcome }: Judged): string {
  if (status === null) return outcome === 'accepted' ? 'the reply of the run' : 'nothing'
  return String(status)
}
