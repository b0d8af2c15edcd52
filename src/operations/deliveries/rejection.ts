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
  /** The methods that are allowed, if it was another one. */
  readonly allow: string
  constructor(
    code: RejectionCode,
    message: string,
    retryAfterSeconds: number | null = null,
    inboxMessage: string | null = null,
    allow = 'POST',
  ) {
    this.code = code
    this.message = message
    this.retryAfterSeconds = retryAfterSeconds
    this.inboxMessage = inboxMessage ?? message
    this.allow = allow
  }
}

const BODIES_FULL_RETRY_SECONDS = 2
const CROWDED_RETRY_SECONDS = 1
const SLOW_RETRY_SECONDS = 2
const SECRET_RETRY_SECONDS = 5

export const notFound = (): Rejection =>
  new Rejection(
    CODE.webhook_not_found,
    'There is no webhook at this URL. Check the URL, and that its flow is published.',
    null,
    'The flow was not published when this came. Publish it, and let the sender try again.',
  )

/** `handshakes`: those of the webhook, whose methods it takes besides; null if it has none or is not known. */
export function wrongMethod(method: string, handshakes: readonly { method: string }[] | null): Rejection {
  const others = [...new Set((handshakes ?? []).map((one) => one.method))].filter((one) => one !== 'POST')
  if (!others.includes(method))
    return new Rejection(
      CODE.method_not_allowed,
      `A webhook takes POST requests; this was ${briefly(method)}.`,
      null,
      null,
      ['POST', ...others].join(', '),
    )
  return new Rejection(
    CODE.method_not_allowed,
    `This is no handshake that the webhook answers; it takes POST requests, and this was ${method}.`,
    null,
    `No handshake of the trigger fits this ${method} request: what its condition compares, such as a verify token, differs or is not set.`,
    ['POST', ...others].join(', '),
  )
}

/** Shortens a sender's text for a message that is stored. */
export const briefly = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** More comes in than can be stored. */
export const crowded = (): Rejection =>
  new Rejection(CODE.overloaded, 'More comes in than can be stored; try again shortly.', CROWDED_RETRY_SECONDS)

export const tooSlow = (): Rejection =>
  new Rejection(
    CODE.overloaded,
    'Runs wait in line for long, and this webhook answers when its run has ended; try again shortly.',
    SLOW_RETRY_SECONDS,
  )

export const noRoom = (): Rejection =>
  new Rejection(CODE.overloaded, 'Too many large bodies come in at once; try again shortly.', BODIES_FULL_RETRY_SECONDS)

export const tooLarge = (maxBytes: number, what = 'The body'): Rejection =>
  new Rejection(CODE.payload_too_large, `${what} is larger than ${maxBytes} bytes.`)

export const tooDeep = (): Rejection =>
  new Rejection(
    CODE.loop_detected,
    `Webhooks call one another more than ${MAX_HOPS} deep; a flow probably calls itself.`,
  )

export const secretUnavailable = (): Rejection =>
  new Rejection(
    CODE.overloaded,
    `The secret that senders are checked with cannot be read at the moment; try again in ${SECRET_RETRY_SECONDS} s.`,
    SECRET_RETRY_SECONDS,
  )
