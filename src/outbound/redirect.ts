// Decides what follows a redirect reply: the next request, or why there is none (docs/http-request.md#redirects).
import { CODE, filled, OUTBOUND_ERRORS } from '../base/error-catalogue.ts'
import { invalidUrl } from '../engine/outbound-rules.ts'
import { OutboundError, type OutboundHeader, type OutboundHop } from '../engine/ports/http-client.ts'

export const MAX_REDIRECTS = 10

const STATUSES = new Set([301, 302, 303, 307, 308])
const CREDENTIAL_NAMES = new Set(['authorization', 'cookie', 'proxy-authorization'])

const isCredential = ({ name, credential }: OutboundHeader): boolean =>
  credential || CREDENTIAL_NAMES.has(name.toLowerCase())

export function isRedirect(status: number, location: string | undefined): location is string {
  return location !== undefined && STATUSES.has(status)
}

/** Throws OutboundError if the redirect must not be followed. */
export function nextHop(hop: OutboundHop, status: number, location: string): OutboundHop {
  const url = locationUrl(location, hop.url)
  let { method, headers, body, tls = null } = hop
  const toGet = status === 303 ? method !== 'HEAD' && method !== 'GET' : status < 303 && method === 'POST'
  if (toGet) {
    method = 'GET'
    body = null
    headers = headers.filter((header) => !header.name.toLowerCase().startsWith('content-'))
  }
  // Dropped headers stay dropped at later hops: each hop starts from the headers of the one before.
  if (url.origin !== hop.url.origin) {
    if (!tls?.mayFollow(url)) tls = null
    return { url, method, headers: headers.filter((header) => !isCredential(header)), body, tls }
  }
  const next = { url, method, headers, body, tls, sign: hop.sign ?? null }
  return hop.sign ? { ...next, headers: hop.sign(next) } : next
}

function locationUrl(location: string, base: URL): URL {
  const url = URL.parse(asUtf8(location), base.href)
  const from = `${base.hostname} redirects to`
  if (url === null)
    throw invalidUrl(
      `${from} a URL that is not valid`,
      'Report it to the operator of the API, or turn off follow redirects.',
    )
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalidUrl(
      `${from} a ${url.protocol} URL, which is not supported`,
      'Only http:// and https:// URLs can be called.',
    )
  if (url.username || url.password)
    throw invalidUrl(
      `${from} a URL that holds credentials`,
      'Call the final URL directly, with the authentication setting.',
    )
  url.hash = ''
  return url
}

/** Headers arrive as Latin-1, but servers that do not escape a Location write UTF-8. */
function asUtf8(location: string): string {
  return /[\u0080-\u00ff]/.test(location) ? Buffer.from(location, 'latin1').toString('utf8') : location
}

export function tooManyRedirects(hostname: string): OutboundError {
  return new OutboundError(
    CODE.too_many_redirects,
    filled(OUTBOUND_ERRORS.too_many_redirects.message, { most: MAX_REDIRECTS, host: hostname }),
  )
}
