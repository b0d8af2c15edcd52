// The port to the guarded HTTP client: the one way out of the process, for steps and for OAuth.
import { type OutboundErrorCode, STEP_ERRORS } from '../../base/error-catalogue.ts'
import type { TlsIdentity } from './tls.ts'

export interface OutboundHeader {
  name: string
  value: string
  /** Whether the header is a credential, which is dropped for good once a redirect leaves the first origin. */
  credential: boolean
  /** The connections whose secrets the value was made from. */
  named?: readonly string[]
}

/** A body that is read when it is sent, anew for every hop. */
export interface BodySource {
  size: number
  open(): AsyncIterable<Uint8Array>
}

export type OutboundBody = Uint8Array | string | BodySource | null

export const isBodySource = (body: OutboundBody): body is BodySource =>
  typeof body === 'object' && body !== null && 'open' in body

/** Takes the body of a reply as it comes. */
export interface ReplySink {
  maxBytes: number
  /** Called for the final reply, unless it is an error. The bytes end with an error if the reply is cut off. */
  take(bytes: AsyncIterable<Uint8Array>): Promise<void>
}

/** One request on the wire. */
export interface OutboundHop {
  url: URL
  method: string
  headers: readonly OutboundHeader[]
  body: OutboundBody
  /** Goes along to another origin only where its connection allows that. */
  tls?: TlsIdentity | null
  sign?: Sign | null
}

/** Returns the headers of a hop with its signature: a redirect within the origin changes what is signed. */
export type Sign = (hop: OutboundHop) => readonly OutboundHeader[]

export interface OutboundRequest {
  method: string
  url: string
  headers: readonly OutboundHeader[]
  body: OutboundBody
  timeoutMs: number
  followRedirects: boolean
  /** Whether cookies that a redirect sets go back to the host that set them, until the final reply. */
  cookies?: boolean
  /** How many webhooks of this service precede this call in a chain; sent on if the call goes to one of them. */
  hops: number
  signal: AbortSignal | null
  tls?: TlsIdentity | null
  /** Signs each redirect within the first origin anew. The headers are those of the first hop, signed already. */
  sign?: Sign | null
  /** Throws OutboundError if the request must not be sent. Called before anything leaves, at each redirect too. */
  check?(hop: OutboundHop): void
  /** null if no other process can take over the run and send the request. */
  standing?: Standing | null
  /** Is asked for room as soon as the reply exceeds a small size. */
  room?: RoomOfRun | null
  /** Takes the body of a reply whose status is below 400; `body` is empty then. */
  into?: ReplySink | null
}

/** Tells whether this process still holds the run. Another process may take it over while this one stalls unaware. */
export interface Standing {
  /** Returns false if another process may hold the run. Called right before each write to a socket, also at redirects. */
  isCertain(): boolean
  /** Is asked after an uncertain check; resolves to false if another process holds the run: the request is cancelled. */
  confirm(): Promise<boolean>
}

/** A larger reply needs room as soon as it is known to be larger. */
export const SMALL_REPLY = 65_536

/** Room in memory for large runs and their large replies. */
export interface ReplyRoom {
  /** Is told that a run has been read; it is weighed only if it counts, and null is returned if not. */
  opened(runId: string, weigh: () => Promise<number>): Promise<void> | null
  /** Resolves when there is room for `bytes` more bytes. They stay reserved until the run ends. */
  grow(runId: string, bytes: number): true | Promise<void>
  /** Releases `bytes` of the reserved bytes that were not needed. */
  shrink(runId: string, bytes: number): void
}

/** Room in memory for the large replies of one run. */
export interface RoomOfRun {
  grow(bytes: number): true | Promise<void>
  shrink(bytes: number): void
}

export interface OutboundReply {
  status: number
  /** Headers by lower-case name; repeated values are joined by `, `. */
  headers: Record<string, string>
  /** The `set-cookie` values, one by one. */
  cookies: readonly string[]
  /** The body, decoded from the content encodings that Millrace knows. */
  body: Uint8Array
  /** The final URL, after redirects. */
  url: string
  redirects: number
  durationMs: number
}

/** Says why a request got no usable reply. Message and hint are for the user. */
export class OutboundError extends Error {
  readonly code: OutboundErrorCode
  readonly hint: string
  constructor(code: OutboundErrorCode, message: string, hint: string = STEP_ERRORS[code].hint) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

export interface HttpClient {
  /** Rejects with OutboundError only. */
  send(request: OutboundRequest): Promise<OutboundReply>
}
