// The cookies of one request: a cookie that a host sets on a redirect goes back to that host at a later hop only. Follows
// RFC 6265bis for one host: `Domain` widens nothing, since only the public suffix list knows which hosts belong together.
import type { OutboundHeader, OutboundHop } from '../engine/ports/http-client.ts'

interface Cookie {
  host: string
  name: string
  value: string
  path: string
  secure: boolean
  expiresAtMs: number
}

const MOST_COOKIES = 50
/** The limit of name and value together, as in browsers. */
const MOST_CHARACTERS = 4096
/** Headers are sent and received as Latin-1. */
const NOT_IN_COOKIE = /[^\t\x20-\x7e\x80-\xff]/

export class CookieJar {
  /** Maps host, name and path to a cookie; the oldest first. */
  readonly #cookies = new Map<string, Cookie>()

  /** `setCookies`: the Set-Cookie headers of the reply from `url`. */
  keep(url: URL, setCookies: readonly string[], nowMs: number): void {
    for (const text of setCookies) {
      const cookie = parseSetCookie(text, url, nowMs)
      if (cookie) this.#put(cookie, url, nowMs)
    }
  }

  #put(cookie: Cookie, url: URL, nowMs: number): void {
    const { host, name, path } = cookie
    if (url.protocol !== 'https:' && this.#hasSecure(host, name)) return
    // Neither a host nor a name can hold a line break.
    const key = `${host}\n${name}\n${path}`
    this.#cookies.delete(key)
    if (cookie.expiresAtMs <= nowMs) return
    if (this.#cookies.size === MOST_COOKIES) this.#cookies.delete(this.#cookies.keys().next().value!)
    this.#cookies.set(key, cookie)
  }

  /** An attacker who can change http traffic must not replace a cookie that https set. */
  #hasSecure(host: string, name: string): boolean {
    for (const cookie of this.#cookies.values())
      if (cookie.secure && cookie.host === host && cookie.name === name) return true
    return false
  }

  /** Returns the hop with the jar's cookies for it, besides the cookies that the step itself sends. */
  addTo(hop: OutboundHop, nowMs: number): OutboundHop {
    const cookies = [...this.#cookies.values()].filter((cookie) => goesTo(cookie, hop.url, nowMs))
    if (cookies.length === 0) return hop
    // §5.8.3: longer paths first, then the older ones.
    cookies.sort((one, other) => other.path.length - one.path.length)
    const names = new Set(cookies.map(({ name }) => name))
    const others: OutboundHeader[] = []
    const pairs: string[] = []
    const named: string[] = []
    // A cookie that a host has set is not a credential of the step.
    let credential = false
    for (const header of hop.headers) {
      if (header.name.toLowerCase() !== 'cookie') others.push(header)
      else {
        credential ||= header.credential
        named.push(...(header.named ?? []))
        for (const pair of header.value.split(';')) if (!names.has(nameIn(pair))) pairs.push(pair.trim())
      }
    }
    const value = [...pairs, ...cookies.map((cookie) => `${cookie.name}=${cookie.value}`)].join('; ')
    return { ...hop, headers: [...others, { name: 'Cookie', value, credential, named }] }
  }
}

const nameIn = (pair: string): string => pair.split('=', 1)[0]!.trim()

function goesTo({ host, path, secure, expiresAtMs }: Cookie, url: URL, nowMs: number): boolean {
  if (host !== url.hostname || (secure && url.protocol !== 'https:') || expiresAtMs <= nowMs) return false
  const { pathname } = url
  return (
    pathname.startsWith(path) &&
    (path.endsWith('/') || pathname.length === path.length || pathname[path.length] === '/')
  )
}

/** Returns null for a cookie that a browser would also refuse. */
function parseSetCookie(text: string, url: URL, nowMs: number): Cookie | null {
  const [pair, ...rest] = text.split(';')
  const at = pair!.indexOf('=')
  const name = pair!.slice(0, Math.max(0, at)).trim()
  const value = pair!.slice(at + 1).trim()
  if (name === '' || name.length + value.length > MOST_CHARACTERS || NOT_IN_COOKIE.test(name + value)) return null
  const attributes = new Map<string, string>()
  for (const attribute of rest) {
    const equals = attribute.indexOf('=')
    const end = equals === -1 ? attribute.length : equals
    attributes.set(attribute.slice(0, end).trim().toLowerCase(), attribute.slice(end + 1).trim())
  }
  const secure = attributes.has('secure')
  if (secure && url.protocol !== 'https:') return null
  const domain = attributes.get('domain')?.toLowerCase().replace(/^\./, '') || null
  if (domain !== null && domain !== url.hostname && !url.hostname.endsWith(`.${domain}`)) return null
  const given = attributes.get('path')
  const path = given?.startsWith('/') ? given : folderOf(url.pathname)
  const prefix = /^__(?:secure|host)-/i.exec(name)?.[0].toLowerCase()
  if (prefix && !secure) return null
  if (prefix === '__host-' && (given !== '/' || domain !== null)) return null
  return { host: url.hostname, name, value, path, secure, expiresAtMs: expiryOf(attributes, nowMs) }
}

/** §5.1.4: the path up to the last slash, without it. */
const folderOf = (pathname: string): string => pathname.slice(0, pathname.lastIndexOf('/')) || '/'

function expiryOf(attributes: ReadonlyMap<string, string>, nowMs: number): number {
  const maxAge = attributes.get('max-age') ?? ''
  if (/^-?\d+$/.test(maxAge)) return nowMs + Number(maxAge) * 1000
  const expires = Date.parse(attributes.get('expires') ?? '')
  return Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires
}
