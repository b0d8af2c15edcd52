// What became of a delivery, and what its caller got, in words.
import type { InboxEntry } from '../../api/api-types.ts'

type Judged = Pick<InboxEntry, 'outcome' | 'code' | 'message' | 'status'>

/** One line, for the list. */
export function deliveryReason({ outcome, code, message }: Judged): string {
  switch (outcome) {
    case 'accepted':
      return 'Started a run'
    case 'duplicate':
      return 'Its key came before: nothing was started'
    case 'filtered':
      return 'The trigger’s filter said no: nothing was started'
    case 'rejected':
      return message ?? `Refused as ${code ?? 'not valid'}`
  }
}

/** What to know or do about it. */
export function deliveryAdvice({ outcome, code }: Judged): string {
  switch (outcome) {
    case 'accepted':
      return 'The delivery was stored before the caller was answered.'
    case 'duplicate':
      return 'The trigger deduplicates. The caller was told of success, and of the run that the first delivery started.'
    case 'filtered':
      return 'The condition “when” of the trigger was false for it. The caller was told of success.'
    case 'rejected':
      return REJECTIONS[code ?? ''] ?? 'Nothing was started. Fix what the message names, and let the sender try again.'
  }
}

const REJECTIONS: Record<string, string> = {
  unauthorized:
    'The sender did not show what the trigger asks for: look at its authentication, and at the headers and the query below.',
  bad_request: 'The trigger does not accept the body or its content type. The sender must fix it.',
  payload_too_large: 'The body is larger than this Millrace takes (MILLRACE_MAX_BODY).',
  method_not_allowed: 'A webhook takes POST; the sender used another method.',
  webhook_not_found:
    'A webhook answers while its flow is published. The sender was told that there is nothing at this URL.',
  loop_detected:
    'Webhooks called one another more than ten deep. One of the flows calls itself, perhaps by way of others.',
}

export function callerGot({ status, outcome }: Judged): string {
  if (status === null) return outcome === 'accepted' ? 'the reply of the run' : 'nothing'
  return String(status)
}
