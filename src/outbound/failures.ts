// Turns the faults of sockets, TLS and the parser into errors that name the host, what happened, and what to do.
import { OutboundError, type OutboundErrorCode } from '../engine/http-client.ts'

interface Fault extends Error {
  code?: string
  errors?: Fault[]
}

/** How far a request had come. */
export type Phase = 'connecting' | 'waiting' | 'reading'

const CHECK_URL = 'Check the host and port in the URL, and that the API is up.'
const TRY_AGAIN = 'The remote API may be restarting or overloaded: try again, or add a retry to the step.'
const BAD_CERTIFICATE =
  'The certificate of the remote host is invalid or self-signed. Install a valid one, or give this service its CA through NODE_EXTRA_CA_CERTS. Plain http:// avoids it but is not recommended for production.'

/** Explains why a socket could not connect. `untrusted`: TLS refused the certificate. */
export function dialFailure(error: Fault, hostname: string, port: number, untrusted: boolean): OutboundError {
  if (error instanceof OutboundError) return error
  if (untrusted)
    return new OutboundError(
      'ssl_certificate',
      `The certificate of ${hostname} is not valid: ${certificateFault(error)}`,
      BAD_CERTIFICATE,
    )
  const code = dialCode(error)
  const where = `${hostname}:${port}`
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_NODATA':
    case 'EAI_NONAME':
    case 'EAI_FAIL':
      return new OutboundError(
        'dns_failed',
        `The host name ${hostname} could not be resolved (${code})`,
        'Check the host name in the URL for typing errors, and that its DNS record exists.',
      )
    case 'ECONNREFUSED':
      return new OutboundError('connection_refused', `${where} refused the connection`, CHECK_URL)
    case 'ECONNRESET':
    case 'EPIPE':
      return new OutboundError('connection_reset', `${where} closed the connection while it was being made`, TRY_AGAIN)
    case 'ETIMEDOUT':
      return timedOut(hostname, 'connecting', null)
  }
  if (code.startsWith('ERR_SSL') || code === 'EPROTO')
    return new OutboundError(
      'connection_failed',
      `No TLS connection to ${where}: ${error.message.replace(/^[0-9A-F]+:|:$/gi, '')}`,
      'Check that the port speaks https://; a plain http:// server does not.',
    )
  return new OutboundError('connection_failed', `${where} could not be reached (${code || error.message})`, CHECK_URL)
}

// Of several addresses tried, the most telling fault: an unreachable IPv6 network says little about a refusing IPv4.
const TELLING = ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT']

function dialCode(error: Fault): string {
  const codes = (error.errors ?? [error]).map((each) => each.code ?? '')
  return TELLING.find((code) => codes.includes(code)) ?? codes[0] ?? ''
}

function certificateFault(error: Fault): string {
  switch (error.code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return 'it is self-signed'
    case 'CERT_HAS_EXPIRED':
      return 'it has expired'
    case 'CERT_NOT_YET_VALID':
      return 'it is not valid yet'
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'it was issued for another host'
    default:
      return error.message
  }
}

export function timedOut(hostname: string, phase: Phase, timeoutMs: number | null): OutboundError {
  const within = timeoutMs === null ? 'in time' : `within ${timeoutMs / 1000} s`
  const what = {
    connecting: `Could not connect to ${hostname} ${within}`,
    waiting: `${hostname} did not reply ${within}`,
    reading: `${hostname} did not finish its reply ${within}`,
  }[phase]
  return new OutboundError(
    'connection_timeout',
    what,
    'The remote API is slow or unreachable, or the timeout is too low. It may be raised up to 300 seconds.',
  )
}

/** Explains why an open socket gave no whole reply. */
export function replyFailure(error: Fault, hostname: string, phase: Phase): OutboundError {
  if (error instanceof OutboundError) return error
  const code = error.code ?? ''
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new OutboundError(
      'response_too_large',
      `${hostname} sent more headers than the 64 KiB that are accepted`,
      'Ask the API for less, or call another endpoint.',
    )
  if (error.name === 'HTTPParserError' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return invalidReply(hostname, error.message)
  if (code === 'UND_ERR_SOCKET' && error.message.startsWith('bad '))
    return invalidReply(hostname, 'it sent what no reply may contain at that point')
  if (code === 'UND_ERR_SOCKET' && phase === 'reading')
    return invalidReply(hostname, 'the connection was closed before it was complete')
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECONNABORTED') {
    const when = phase === 'reading' ? 'in the middle of its reply' : 'without a reply'
    return new OutboundError('connection_reset', `${hostname} closed the connection ${when}`, TRY_AGAIN)
  }
  if (code === 'ETIMEDOUT') return timedOut(hostname, phase, null)
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED')
    return new OutboundError(
      'invalid_header',
      `The request could not be sent: ${error.message}`,
      'Check the headers of the step.',
    )
  return new OutboundError('connection_failed', `The request to ${hostname} failed: ${error.message}`, TRY_AGAIN)
}

export function invalidReply(hostname: string, why: string): OutboundError {
  return new OutboundError(
    'response_invalid',
    `The reply of ${hostname} is not valid: ${why}`,
    'The remote API or a proxy in front of it sent a damaged reply: try again, or report it to the operator of the API.',
  )
}

export function tooLarge(hostname: string, maxBytes: number): OutboundError {
  const limit = maxBytes % 1_048_576 === 0 ? `${maxBytes / 1_048_576} MiB` : `${maxBytes} bytes`
  return new OutboundError(
    'response_too_large',
    `The reply of ${hostname} is larger than ${limit}`,
    'Ask the API for less at a time, for example with paging or fewer fields.',
  )
}

export function cancelled(why: string): OutboundError {
  return new OutboundError(
    'cancelled' satisfies OutboundErrorCode,
    why,
    'Nothing to do: the request was cancelled on purpose.',
  )
}
