// Turns the faults of sockets, TLS and the parser into errors that name the host, what happened, and what to do.

import { CODE, filled, OUTBOUND_ERRORS } from '../base/error-catalogue.ts'
import { OutboundError } from '../engine/ports/http-client.ts'
import type { ProxyServer } from './proxy/proxy-settings.ts'

interface Fault extends Error {
  code?: string
  errors?: Fault[]
}

/** How far a request has come. */
export type Phase = 'connecting' | 'waiting' | 'reading'

const TRY_AGAIN = OUTBOUND_ERRORS.connection_reset.hint

/** Explains why a socket could not connect. `untrusted`: TLS refused the certificate. */
export function dialFailure(error: Fault, hostname: string, port: number, untrusted: boolean): OutboundError {
  if (error instanceof OutboundError) return error
  if (untrusted)
    return new OutboundError(
      CODE.ssl_certificate,
      filled(OUTBOUND_ERRORS.ssl_certificate.message, { host: hostname, why: certificateFault(error) }),
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
        CODE.dns_failed,
        filled(OUTBOUND_ERRORS.dns_failed.message, { host: hostname, fault: code }),
      )
    case 'ECONNREFUSED':
      return new OutboundError(
        CODE.connection_refused,
        filled(OUTBOUND_ERRORS.connection_refused.message, { host: where }),
      )
    case 'ECONNRESET':
    case 'EPIPE':
      return closed(where, 'while it was being made')
    case 'ETIMEDOUT':
      return timedOut(hostname, 'connecting', null)
  }
  if (code.startsWith('ERR_SSL') || code === 'EPROTO')
    return new OutboundError(
      CODE.connection_failed,
      `No TLS connection to ${where}: ${error.message.replace(/^[0-9A-F]+:|:$/gi, '')}`,
      'Check that the port speaks https://; a plain http:// server does not.',
    )
  return new OutboundError(
    CODE.connection_failed,
    filled(OUTBOUND_ERRORS.connection_failed.message, { host: where, fault: code || error.message }),
  )
}

const closed = (host: string, when: string): OutboundError =>
  new OutboundError(CODE.connection_reset, filled(OUTBOUND_ERRORS.connection_reset.message, { host, when }))

// Of the faults of several addresses, these say the most: an unreachable IPv6 network says little about a refusing IPv4.
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
    waiting: filled(OUTBOUND_ERRORS.connection_timeout.message, { host: hostname, within }),
    reading: `${hostname} did not finish its reply ${within}`,
  }[phase]
  return new OutboundError(CODE.connection_timeout, what)
}

/** Explains why an open socket gave no whole reply. */
export function replyFailure(error: Fault, hostname: string, phase: Phase): OutboundError {
  if (error instanceof OutboundError) return error
  const code = error.code ?? ''
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new OutboundError(
      CODE.response_too_large,
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
    return closed(hostname, when)
  }
  if (code === 'ETIMEDOUT') return timedOut(hostname, phase, null)
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED')
    return new OutboundError(
      CODE.invalid_header,
      filled(OUTBOUND_ERRORS.invalid_header.message, { fault: error.message }),
    )
  return new OutboundError(CODE.connection_failed, `The request to ${hostname} failed: ${error.message}`, TRY_AGAIN)
}

export function invalidReply(hostname: string, why: string): OutboundError {
  return new OutboundError(
    CODE.response_invalid,
    filled(OUTBOUND_ERRORS.response_invalid.message, { host: hostname, why }),
  )
}

export function tooLarge(hostname: string, maxBytes: number): OutboundError {
  const limit = maxBytes % 1_048_576 === 0 ? `${maxBytes / 1_048_576} MiB` : `${maxBytes} bytes`
  return new OutboundError(
    CODE.response_too_large,
    filled(OUTBOUND_ERRORS.response_too_large.message, { host: hostname, most: limit }),
  )
}

/** Explains what the proxy did in place of its work. */
export function proxyFailed({ label }: ProxyServer, what: string): OutboundError {
  return new OutboundError(
    CODE.proxy_failed,
    filled(OUTBOUND_ERRORS.proxy_failed.message, { proxy: label.replace(/^t/, 'T'), what }),
  )
}

export function cancelled(why: string): OutboundError {
  return new OutboundError(CODE.cancelled, why)
}
