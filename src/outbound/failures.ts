// Turns the faults of sockets, TLS and the parser into errors that name the host, what happened, and what to do.

import { CODE, filled, OUTBOUND_ERRORS } from '../base/error-catalogue.ts'
import { OutboundError } from '../engine/ports/http-client.ts'
import { refusalCause, type TlsIdentity } from '../engine/ports/tls.ts'
import type { ProxyServer } from './proxy/proxy-settings.ts'

interface Fault extends Error {
  code?: string
  errors?: Fault[]
}

/** How far a request has come. */
export type Phase = 'connecting' | 'waiting' | 'reading'

const TRY_AGAIN = OUTBOUND_ERRORS.connection_reset.hint

/** Explains why a socket could not connect. `untrusted`: TLS refused the certificate. */
export function dialFailure(
  error: Fault,
  hostname: string,
  port: number,
  untrusted: boolean,
  tls: TlsIdentity | null,
): OutboundError {
  if (error instanceof OutboundError) return error
  if (untrusted) {
    const { why, hint } = certificateFault(error, tls)
    return new OutboundError(
      CODE.ssl_certificate,
      filled(OUTBOUND_ERRORS.ssl_certificate.message, { host: hostname, why }),
      `The certificate of the remote host is invalid or self-signed. ${hint}`,
    )
  }
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
      return closed(where, 'while it was being made', tls)
    case 'ETIMEDOUT':
      return timedOut(hostname, 'connecting', null)
  }
  const refused = tlsRefusal(code, hostname, tls)
  if (refused) return refused
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

function closed(host: string, when: string, tls: TlsIdentity | null): OutboundError {
  const message = filled(OUTBOUND_ERRORS.connection_reset.message, { host, when })
  if (!tls) return new OutboundError(CODE.connection_reset, message)
  // Some servers refuse a client certificate without a word.
  const { why, hint } = refusalCause(tls, Date.now())
  return new OutboundError(CODE.connection_reset, message, `${TRY_AGAIN} If it does so always, perhaps ${why}. ${hint}`)
}

// Of the faults of several addresses, these say the most: an unreachable IPv6 network says little about a refusing IPv4.
const TELLING = ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT']

function dialCode(error: Fault): string {
  const codes = (error.errors ?? [error]).map((each) => each.code ?? '')
  return TELLING.find((code) => codes.includes(code)) ?? codes[0] ?? ''
}

/** The faults of a server's certificate: what is wrong, and which setting fixes it. */
function certificateFault(error: Fault, tls: TlsIdentity | null): { why: string; hint: string } {
  const place = tls ? `the TLS settings of the connection "${tls.connection}"` : 'the TLS settings of a connection'
  const expected = tls?.settings.serverName
  const trust = tls?.settings.ca
    ? `Only the authorities in ca of the connection "${tls.connection}" are trusted: set the one that issued the certificate.`
    : `If an authority of your own issued it, set that as ca in ${place}${tls ? '' : ', which the step names as tls'}, or for all requests in MILLRACE_CA_FILE.`
  switch (error.code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return { why: 'it is self-signed', hint: trust }
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return { why: 'its issuer is not trusted', hint: trust }
    case 'CERT_HAS_EXPIRED':
      return {
        why: 'it has expired',
        hint: 'The operator of the API has to renew it. No setting of Millrace accepts it.',
      }
    case 'CERT_NOT_YET_VALID':
      return { why: 'it is not valid yet', hint: 'Check the clock of this machine, and ask the operator of the API.' }
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return {
        why: expected ? `it was not issued for ${expected}` : 'it was issued for another host',
        hint: expected
          ? `That name is serverName of the connection "${tls.connection}": set the one that the certificate has.`
          : `Call the host by the name in its certificate, or set that name as serverName in ${place}.`,
      }
    default:
      return { why: error.message, hint: trust }
  }
}

/** The alerts by which a server refuses a client certificate (RFC 8446 section 6.2), as OpenSSL names them. */
const REFUSED_CERTIFICATE =
  /_ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_REVOKED|CERTIFICATE_EXPIRED|CERTIFICATE_UNKNOWN|UNKNOWN_CA|ACCESS_DENIED)$/
/** Some servers say no more than this if there is no certificate; they also say it if no cipher is shared. */
const REFUSED_HANDSHAKE = /_ALERT_HANDSHAKE_FAILURE$/
const WRONG_VERSION = /_ALERT_PROTOCOL_VERSION$|_UNSUPPORTED_PROTOCOL$/

/** Returns the error of a server that refuses us, also after the handshake: TLS 1.3 says so only when it is over. */
function tlsRefusal(code: string, hostname: string, tls: TlsIdentity | null): OutboundError | null {
  if (WRONG_VERSION.test(code)) {
    const least = tls?.settings.minVersion ?? 'TLSv1.2'
    return new OutboundError(
      CODE.connection_failed,
      `No TLS connection to ${hostname}: it does not speak ${least} or newer`,
      tls?.settings.minVersion
        ? `That is minVersion of the connection "${tls.connection}": lower it only if the API cannot be renewed.`
        : 'The operator of the API has to renew its TLS.',
    )
  }
  if (!REFUSED_CERTIFICATE.test(code) && !(REFUSED_HANDSHAKE.test(code) && !tls?.certificate)) return null
  const { why, hint } = refusalCause(tls, Date.now())
  return new OutboundError(
    CODE.client_certificate,
    filled(OUTBOUND_ERRORS.client_certificate.message, { host: hostname, why }),
    hint,
  )
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
export function replyFailure(error: Fault, hostname: string, phase: Phase, tls: TlsIdentity | null): OutboundError {
  if (error instanceof OutboundError) return error
  const code = error.code ?? ''
  const refused = tlsRefusal(code, hostname, tls)
  if (refused) return refused
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
    return closed(hostname, when, tls)
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
