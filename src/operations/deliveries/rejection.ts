// The error that a check throws to refuse a delivery.
import { CODE, type DeliveryErrorCode } from '../../base/error-catalogue.ts'
import { MAX_HOPS } from '../../engine/waits/run-calls.ts'

export type RejectionCode = DeliveryErrorCode

export class Rejection {
  readonly code: RejectionCode
  readonly message: string
  readonly retryAfterSeconds: number | null
  /** The message for the flow's owner, who may know more than the sender. */
  readonly inboxMessage: string
  constructor(
    code: RejectionCode,
    message: string,
    retryAfterSeconds: number | null = null,
    inboxMessage: string | null = null,
  ) {
    this.code = code
    this.message = message
    this.retryAfterSeconds = retryAfterSeconds
    this.inboxMessage = inboxMessage ?? message
  }
}

const BODIES_FULL_RETRY_SECONDS = 2

export const notFound = (): Rejection =>
  new Rejection(
    CODE.webhook_not_found,
    'There is no webhook at this URL. Check the URL, and that its flow is published.',
    null,
    'The flow was not published when this came. Publish it, and let the sender try again.',
  )

/** Shortens a sender's text for a message that is stored. */
export const briefly = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

export const noRoom = (): Rejection =>
  new Rejection(CODE.overloaded, 'Too many large bodies come in at once; try again shortly.', BODIES_FULL_RETRY_SECONDS)

export const tooLarge = (maxBytes: number): Rejection =>
  new Rejection(CODE.payload_too_large, `The body is larger than ${maxBytes} bytes.`)

export const tooDeep = (): Rejection =>
  new Rejection(
    CODE.loop_detected,
    `Webhooks call one another more than ${MAX_HOPS} deep; a flow probably calls itself.`,
  )
