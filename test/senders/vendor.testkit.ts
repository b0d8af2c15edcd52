// Plays a vendor: signs requests as its documentation says, with node:crypto and without any of Millrace's own signing code.
import { createHmac } from 'node:crypto'
import { BASE_URL, TARGET } from '../../src/operations/deliveries/sender-request.testkit.ts'

export type Hash = 'md5' | 'sha1' | 'sha256' | 'sha512'
export type Encoding = 'hex' | 'base64' | 'base64url'

/** How a request is signed. A forger changes one of these. */
export interface Way {
  secret: string
  atMs: number
  hash: Hash
  encoding: Encoding
  prefix: string
  /** What becomes of the text of the signature, or of the token. */
  cut(text: string): string
  url: string
}

export type Header = [name: string, value: string]

export interface Sent {
  headers: Header[]
  body: Buffer
}

/** What a vendor sends: out of a sample of its file. */
export interface Payload {
  headers?: Record<string, string>
  body?: unknown
  form?: Record<string, string>
  text?: string
  contentType?: string
}

/** Why a forgery cannot be made of a vendor's requests. */
export type Lack = 'body' | 'time' | 'header' | 'prefix' | 'signature'

export interface Vendor {
  /** What the flow is given under `sender`. */
  fields: Record<string, string>
  /** The same, with nothing in it. */
  emptyFields: Record<string, string>
  way: Omit<Way, 'atMs' | 'url'>
  otherSecret: string
  /** Another prefix that the form allows; null if there is no prefix. */
  otherPrefix: string | null
  /** How far the time may be away, in seconds; null if no time is signed. */
  tolerance: number | null
  lacks: readonly Lack[]
  /** The names of the headers that authenticate. */
  authHeaders: readonly string[]
  /** Puts into the body what has to stand there, before it is written. */
  fill?(body: unknown, way: Way): void
  /** Returns the headers that authenticate a body, as it is written. */
  sign(body: Buffer, way: Way, payload: Payload): Header[]
  /** Takes out of the body what authenticates, where that is not in a header. */
  unsign?(body: unknown): void
  /** Puts the signature that stands in one body into the other. */
  lift?(from: string, to: string): string
  /** Changes a value that is signed, where that is not all of the body. */
  change?(text: string): string
}

export const URL_OF_FLOW = BASE_URL + TARGET

export const seconds = (way: Way): string => String(Math.floor(way.atMs / 1000))

/** Returns the text of a signature. */
export const mac = (way: Way, ...parts: (string | Buffer)[]): string =>
  way.prefix + macOf(way, Buffer.from(way.secret), ...parts)

export function macOf(way: Way, key: Buffer, ...parts: (string | Buffer)[]): string {
  const hmac = createHmac(way.hash, key)
  for (const part of parts) hmac.update(part)
  return way.cut(hmac.digest(way.encoding))
}

/** Writes the body: as a vendor does, or with all that is allowed and that nobody writes when a document is written again. */
export function write(payload: Payload, isOdd: boolean): Buffer {
  if (payload.text !== undefined) return Buffer.from(payload.text)
  if (payload.form) return Buffer.from(isOdd ? oddForm(payload.form) : new URLSearchParams(payload.form).toString())
  return Buffer.from(isOdd ? oddJson(payload.body) : JSON.stringify(payload.body))
}

/** Other order, white space, escapes that are not needed, and characters of four bytes. */
function oddJson(value: unknown): string {
  const write = (value: unknown): string => {
    if (Array.isArray(value)) return `[ ${value.map(write).join(' ,\t')}\n]`
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).reverse()
      return `{ ${entries.map(([key, value]) => `${JSON.stringify(key)} : ${write(value)}`).join(' ,\r\n ')} }`
    }
    const text = JSON.stringify(value)
    return typeof value === 'string' ? text.replaceAll('/', '\\/').replaceAll('e', '\\u0065') : text
  }
  const [extended] = Array.isArray(value) ? [value[0]] : [value]
  ;(extended as Record<string, unknown>)['odd'] = 'naïve ✓ 😀 \u2028'
  return `\n${write(value)} \n`
}

/** Spaces as %20 and +, lower-case digits, characters that need no escape, and an empty field. */
function oddForm(form: Record<string, string>): string {
  const pairs = Object.entries({ ...form, Odd: 'naïve 😀 ~', Empty: '' }).reverse()
  return pairs
    .map(([name, value], i) => {
      const text = encodeURIComponent(value).replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
      return `${name}=${i % 2 ? text.replaceAll('%20', '+') : text}`
    })
    .join('&')
}

export const typeOf = (payload: Payload): string =>
  payload.contentType ?? (payload.form ? 'application/x-www-form-urlencoded' : 'application/json')

/** Returns a request of this vendor, signed in this way. */
export function send(vendor: Vendor, sample: Payload, change: Partial<Way> = {}, isOdd = false): Sent {
  const payload = structuredClone(sample)
  const way: Way = { ...vendor.way, atMs: Date.now(), url: URL_OF_FLOW, ...change }
  vendor.fill?.(payload.body, way)
  const body = write(payload, isOdd)
  const others = Object.entries(payload.headers ?? {}).filter(
    ([name]) => !vendor.authHeaders.some((header) => header.toLowerCase() === name.toLowerCase()),
  )
  return { headers: [['Content-Type', typeOf(payload)], ...others, ...vendor.sign(body, way, payload)], body }
}
