// The port to the guarded HTTP client: the one way out of the process, for steps and for OAuth.
import { type OutboundErrorCode, STEP_ERRORS } from '../../base/error-catalogue.ts'

export interface OutboundHeader {
  name: string
  value: string
  /** Dropped, and kept dropped, once a redirect leaves the first origin. */
  credential: boolean
  /** The connections whose secrets it came of. */
  named?: readonly string[]
}

/** One request on the wire. */
export interface OutboundHop {
  url: URL
  method: string
  headers: readonly OutboundHeader[]
  body: Uint8Array | string | null
}

export interface OutboundRequest {
  method: string
  url: string
  headers: readonly OutboundHeader[]
  body: Uint8Array | string | null
  timeoutMs: number
  followRedirects: boolean
  /** Cookies that redirects set go back to the host that set them, until the reply is there. */
  cookies?: boolean
  /** How many webhooks of this service stand before this call in a chain; sent on when the call goes to one of them. */
  hops: number
  signal: AbortSignal | null
  /** Asked before anything leaves, at each redirect too; throws OutboundError where the request must not go there. */
  check?(hop: OutboundHop): void
  /** null: nobody else can send it in place of this process. */
  standing?: Standing | null
  /** Asked as soon as the reply is more than a small one. */
  room?: RoomOfRun | null
}

/** Where others may take over what a request is part of, while this process stands still without knowing it. */
export interface Standing {
  /** Asked directly before a request is written to its socket, at each redirect too; false: it may be others' by now. */
  isCertain(): boolean
  /** Asked where that was not certain; false: it is others', and the request ends as cancelled. */
  confirm(): Promise<boolean>
}

/** Room in memory for the large replies of runs. */
export interface ReplyRoom {
  /** Resolves when there is room for so many bytes more; it is kept until the run ends. */
  grow(runId: string, bytes: number): true | Promise<void>
  /** So many of them were not needed. */
  shrink(runId: string, bytes: number): void
}

/** The same for one run. */
export interface RoomOfRun {
  grow(bytes: number): true | Promise<void>
  shrink(bytes: number): void
}

export interface OutboundReply {
  status: number
  /** Lower-case names; repeated values joined by `, `. */
  headers: Record<string, string>
  /** The `set-cookie` values, one by one. */
  cookies: readonly string[]
  /** The body with its content encodings undone, as far as they are known. */
  body: Uint8Array
  /** The final URL, after redirects. */
  url: string
  redirects: number
  durationMs: number
}

/** Why a request got no usable reply; message and hint are for the user. */
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
