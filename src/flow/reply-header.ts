// Decides which headers a flow may set in a reply to its caller. Replies may share the origin of the web UI: a flow must not
// set what instructs a browser about that origin, or a proxy how to serve it.
import { CODE, type IssueCode } from '../base/error-catalogue.ts'
import { hasTemplate } from './check.ts'
import { quoted } from './issue.ts'

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const NAME = new RegExp(`^${TOKEN}$`)

const NAMED = [
  'Content-Type',
  'Content-Language',
  'Content-Disposition',
  'Cache-Control',
  'Expires',
  'Pragma',
  'ETag',
  'Last-Modified',
  'Vary',
  'Link',
  'Location',
  'Retry-After',
  'Allow',
  'Deprecation',
  'Sunset',
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  // Without -Credentials: a page of another origin must not read a webhook's answer to a request with Millrace's cookie.
  'Access-Control-Allow-Origin',
  'Access-Control-Allow-Methods',
  'Access-Control-Allow-Headers',
  'Access-Control-Expose-Headers',
  'Access-Control-Max-Age',
]
const ALLOWED = new Set(NAMED.map((name) => name.toLowerCase()))

/** Names with X- that browsers or proxies act on, and those of Millrace. */
const ACTED_ON =
  /^x-(?:request-id|millrace-.*|content-type-options|(?:webkit-csp|content-security-policy).*|frame-options|xss-protection|dns-prefetch-control|permitted-cross-domain-policies|download-options|ua-compatible|sourcemap|accel-.*|sendfile.*|lighttpd-.*|litespeed-.*|reproxy-.*|envoy-.*|forwarded.*|real-ip|original-.*|rewrite-.*|http-method.*|method-override)$/

const CONFIGURABLE = `Use a name that begins with X-, or one of ${NAMED.join(', ')}`

export const isHeaderName = (name: string): boolean => NAME.test(name)

type Report = (path: string, code: IssueCode, message: string) => void

/** Checks the literal headers of a reply to the caller; templated ones are checked when they are sent. */
export function checkReplyHeaders(headers: unknown, at: string, report: Report): void {
  if (!Array.isArray(headers)) return
  let types = 0
  for (const [i, header] of headers.entries()) {
    checkReplyHeader(header, `${at}/${i}`, report)
    const name: unknown = header?.name
    if (typeof name === 'string' && isContentType(name) && ++types === 2)
      report(`${at}/${i}/name`, CODE.invalid_header, 'There is already a Content-Type; a reply has only one.')
  }
}

function checkReplyHeader(header: unknown, at: string, report: Report): void {
  if (typeof header !== 'object' || header === null) return
  const { name, value } = header as { name?: unknown; value?: unknown }
  const isLiteral = typeof name === 'string' && name !== '' && !hasTemplate(name)
  if (isLiteral && !isHeaderName(name))
    report(`${at}/name`, CODE.invalid_header, `${quoted(name)} is not a header name.`)
  else if (isLiteral && !isNameAllowed(name.toLowerCase()))
    report(`${at}/name`, CODE.invalid_header, `${name.slice(0, 60)} cannot be set by a flow. ${CONFIGURABLE}.`)
  if (typeof value !== 'string') return
  if (/[\r\n\0]/.test(value))
    report(`${at}/value`, CODE.invalid_header, 'A header value cannot contain line breaks or NUL characters.')
  else if (isLiteral && !hasTemplate(value)) {
    if (isContentType(name) && !isMediaType(value)) report(`${at}/value`, CODE.invalid_header, ONE_TYPE)
    if (name.toLowerCase() === 'location' && !leadsToWeb(value))
      report(`${at}/value`, CODE.invalid_header, 'A Location is a path, or a URL with http or https.')
  }
}

const ONE_TYPE =
  'A Content-Type is one media type, such as text/html; charset=utf-8, without commas. Multipart replies cannot be sent.'

/** Returns whether a header that templates produced is allowed. */
export function isReplyHeaderAllowed(name: string, value: string): boolean {
  const lowerCase = name.toLowerCase()
  if (!isHeaderName(name) || !isNameAllowed(lowerCase) || /[^\t\x20-\x7e\x80-\xff]/.test(value)) return false
  if (lowerCase === 'content-type') return isMediaType(value)
  return lowerCase !== 'location' || leadsToWeb(value)
}

export const isContentType = (name: string): boolean => name.length === 12 && name.toLowerCase() === 'content-type'

function isNameAllowed(lowerCase: string): boolean {
  return lowerCase.startsWith('x-') ? lowerCase.length > 2 && !ACTED_ON.test(lowerCase) : ALLOWED.has(lowerCase)
}

const LONGEST_TYPE = 255
const PARAMETER = `[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|"[^",\\\\]*")`
const MEDIA_TYPE = new RegExp(`^(?!multipart/)${TOKEN}/${TOKEN}(?:${PARAMETER})*[ \\t]*;?$`, 'i')

/**
 * Returns whether the value is exactly one media type. Of a list a browser takes the last (Fetch, "extract a MIME type"),
 * but a proxy may check only the first; the parts of a multipart reply have their own types and policies.
 */
export const isMediaType = (value: string): boolean => value.length <= LONGEST_TYPE && MEDIA_TYPE.test(value)

/**
 * Returns whether a URL is relative or has a web scheme. As in browsers, tabs, line breaks and leading spaces do not count.
 */
function leadsToWeb(value: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(value.replace(/[\t\r\n]/g, '').trim())?.[1]
  return scheme === undefined || /^https?$/i.test(scheme)
}
