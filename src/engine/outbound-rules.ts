// Checks the URL and headers of an outbound request: literals at publish, every value again before sending.
import { CODE, OUTBOUND_ERRORS } from '../base/error-catalogue.ts'
import { isWrittenByClient, unfitForHeader } from '../flow/outbound-parts.ts'
import { isHeaderName } from '../flow/reply-header.ts'
import { OutboundError } from './ports/http-client.ts'

const WRITE_FULL_URL = OUTBOUND_ERRORS.invalid_url.hint
const AUTHORITY = /^https?:\/\/([^/?#]*)/i
const ENCODE = 'Special characters must be URL-encoded.'

/** Returns the URL that is dialled. Throws `invalid_url` with what is wrong and what to do. */
export function parseOutboundUrl(text: string): URL {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme !== 'http' && scheme !== 'https') throw invalidUrl(...protocolFault(text, scheme))
  const unescaped = unescapedCharacter(text)
  if (unescaped) throw invalidUrl(`The URL contains ${unescaped}`, ENCODE)
  const authority = AUTHORITY.exec(text)?.[1]
  if (!authority) throw invalidUrl('The URL names no host after the protocol', WRITE_FULL_URL)
  if (authority.includes('@'))
    throw invalidUrl(
      'The URL holds credentials before an @',
      'Remove them from the URL and use the authentication setting, for example Basic Auth.',
    )
  const url = URL.parse(text)
  if (url === null || url.port === '0') throw invalidUrl(...authorityFault(authority))
  return url
}

export function invalidUrl(message: string, hint: string): OutboundError {
  return new OutboundError(CODE.invalid_url, message, hint)
}

function protocolFault(text: string, scheme: string | undefined): [string, string] {
  if (text.trim() === '') return ['The URL is empty', WRITE_FULL_URL]
  if (/^\s/.test(text)) return ['The URL begins with a space or line break', 'Remove it.']
  // `localhost:8080/x` parses as a URL with the protocol `localhost:`.
  if (scheme === undefined || /^[^:]+:\d/.test(text)) return ['The URL has no protocol', WRITE_FULL_URL]
  return [`The URL's protocol ${scheme}: is not supported`, 'Only http:// and https:// URLs can be called.']
}

function authorityFault(authority: string): [string, string] {
  const port = /:(\d+)$/.exec(authority)?.[1]
  if (port !== undefined && (Number(port) > 65_535 || Number(port) === 0))
    return [`The URL's port ${port} is out of range`, 'Use a port from 1 to 65535, or leave it out.']
  return [`The URL's host ${JSON.stringify(authority)} is not valid`, 'Check the host name and port.']
}

// RFC 3986, except that square brackets are allowed: many APIs use them raw in query names. Only the host may go beyond
// ASCII, because it becomes punycode.
const NEVER = /[^!#-;=?-[\]_a-z~\u0080-\uffff]|%(?![0-9a-f]{2})/i
const BEYOND_ASCII = /[\u0080-\uffff]/

function unescapedCharacter(text: string): string | null {
  const found = NEVER.exec(text)
  if (found) return described(found[0])
  if (!BEYOND_ASCII.test(text)) return null
  const rest = text.replace(AUTHORITY, '')
  const at = rest.search(BEYOND_ASCII)
  if (at !== -1) return described(String.fromCodePoint(rest.codePointAt(at)!))
  return /\s/.test(text) ? 'an unescaped space' : null
}

function described(character: string): string {
  if (character === ' ') return 'an unescaped space (write %20)'
  if (character === '%') return 'a % that begins no escape (write %25)'
  if (character === '\\') return 'a backslash (write / between path segments, or %5C)'
  if (character === '\t') return 'a tab'
  if (character === '\r' || character === '\n') return 'a line break'
  if (character < ' ' || character === '\x7f') return 'a control character'
  return `an unescaped ${character} (write ${encodeURIComponent(character.toWellFormed())})`
}

/** Throws `invalid_header` if the name cannot be sent. */
export function checkHeaderName(name: string): void {
  if (isWrittenByClient(name))
    throw invalidHeader(`The header ${name} cannot be set`, 'Remove it: it is written for each request as it is sent.')
  if (!isHeaderName(name))
    throw invalidHeader(
      name === '' ? 'A header has no name' : `The header name ${JSON.stringify(name)} is not valid`,
      'A header name holds letters, digits and hyphens only, for example X-Request-Id.',
    )
}

/** Throws `invalid_header` if the value cannot be sent. The message never quotes the value: it may be a secret. */
export function checkHeaderValue(name: string, value: string): void {
  const found = unfitForHeader(value)
  if (found === null) return
  if (found === '\r' || found === '\n' || found === '\0')
    throw invalidHeader(
      `The value of header ${name} contains ${found === '\0' ? 'a NUL character' : 'a line break'}`,
      'Remove it, for example with .trim() where it comes from pasted text.',
    )
  if (found > '\xff')
    throw invalidHeader(
      `The value of header ${name} contains a character that HTTP headers cannot carry`,
      'Headers take Latin-1 only: encode the value, for example with encodeURIComponent(…) or base64(…).',
    )
  throw invalidHeader(`The value of header ${name} contains a control character`, 'Remove it.')
}

function invalidHeader(message: string, hint: string): OutboundError {
  return new OutboundError(CODE.invalid_header, message, hint)
}
