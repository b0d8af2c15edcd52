// Reads and writes the headers traceparent and tracestate of W3C Trace Context.

/** The position in a trace from which work continues. */
export interface TraceContext {
  traceId: string
  spanId: string
  /** Bit 0: sampled; bit 1: the id is random. */
  flags: number
  /** The entries of tracing systems; null if there is nothing to pass on. */
  state: string | null
}

/** The trace headers of a request, as received or as sent. */
export interface TraceHeaders {
  traceparent: string | undefined
  tracestate: string | undefined
}

/** A version after 00 may append fields that version 00 does not know. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const KNOWN_FLAGS = 0b11

/** Returns null if there is no valid trace context. A repeated traceparent is invalid. */
export function parseTraceContext(
  traceparent: string | undefined,
  tracestate: string | undefined,
): TraceContext | null {
  const match = traceparent === undefined ? null : TRACEPARENT.exec(traceparent)
  if (!match) return null
  const [, version, traceId, spanId, flags, more] = match
  if (version === '00' && more !== undefined) return null
  return {
    traceId: traceId!,
    spanId: spanId!,
    flags: Number.parseInt(flags!, 16) & KNOWN_FLAGS,
    state: tracestate === undefined ? null : parseTraceState(tracestate),
  }
}

export const traceparentOf = ({ traceId, spanId, flags }: TraceContext): string =>
  `00-${traceId}-${spanId}-${(flags & KNOWN_FLAGS).toString(16).padStart(2, '0')}`

const MEMBER = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/
const MOST_MEMBERS = 32
/** The length that every system must pass on; a longer header could make an API refuse the request. */
const MOST_CHARACTERS = 512

function parseTraceState(text: string): string | null {
  const members = text
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '')
  const state = members.join(',')
  const isValid =
    members.length <= MOST_MEMBERS && state.length <= MOST_CHARACTERS && members.every((member) => MEMBER.test(member))
  return isValid && state !== '' ? state : null
}
