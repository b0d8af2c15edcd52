// The host's functions for the guest: text and bytes in, a JSON value or bytes out. None keeps or returns a host object.
import {
  type BinaryToTextEncoding,
  createHash,
  createHmac,
  getRandomValues,
  type Hash,
  type Hmac,
  hash,
  randomUUID,
  timingSafeEqual,
} from 'node:crypto'
import { HMAC_ALGORITHMS } from '../base/signing/algorithm-names.ts'
import { hmacOnce } from '../base/signing/hmac.ts'
import { formEncoded, formPairs } from '../flow/form-pairs.ts'
import { parseJson } from '../flow/json/parse-json.ts'
import { FORMAT_FUNCTIONS } from './format-functions.ts'
import type { Extras } from './quickjs/host.ts'

type HostFunction = (args: unknown, extras: Extras) => unknown

const ALGORITHMS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']
const TEXT_ENCODINGS = ['utf8', 'utf-8', 'hex', 'base64', 'base64url', 'latin1', 'binary', 'ascii', 'utf16le']
const DIGEST_ENCODINGS = ['hex', 'base64', 'base64url', 'latin1', 'binary']
/** The encodings whose text crosses unchanged. */
const PLAIN_ENCODINGS = ['hex', 'base64', 'base64url']
const URL_PARTS = [
  'href',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const

/** Functions whose argument is text of their own form, not JSON; what they answer crosses as it is. */
export const textFunctions: ReadonlyMap<string, (text: string, extras: Extras) => string | Uint8Array> = new Map([
  ['hash', digest],
])

export const hostFunctions: ReadonlyMap<string, HostFunction> = new Map<string, HostFunction>([
  ...FORMAT_FUNCTIONS,
  ['uuid', () => randomUUID()],
  ['seed', () => [...getRandomValues(new Int32Array(4))]],
  [
    'equal',
    (_, extras) => {
      const [a, b] = [extras.bytes(0), extras.bytes(1)]
      if (a.length !== b.length) throw new RangeError('Input buffers must have the same byte length')
      return timingSafeEqual(a, b)
    },
  ],
  ['encode', (args) => new TextEncoder().encode(texts(args)[0]!)],
  [
    'decode',
    (args, extras) => {
      const [fatal, ignoreBOM] = args as unknown[]
      return new TextDecoder('utf-8', { fatal: fatal === true, ignoreBOM: ignoreBOM === true }).decode(extras.bytes(0))
    },
  ],
  ['atob', (args) => atob(texts(args)[0]!)],
  ['btoa', (args) => btoa(texts(args)[0]!)],
  ['parseQuery', (args) => [...formPairs(texts(args)[0]!.replace(/^\?/, ''))]],
  ['formatQuery', (args) => formEncoded(pairs((args as unknown[])[0]))],
  [
    'parseUrl',
    (args) => {
      const [url, base] = texts(args)
      return urlParts(URL.parse(url!, base))
    },
  ],
  [
    'changeUrl',
    (args) => {
      const [href, name, value] = texts(args)
      const part = URL_PARTS.find((one) => one === name)
      const url = URL.parse(href!)
      if (part === undefined || url === null) return null
      if (part === 'href') return urlParts(URL.parse(value!))
      url[part] = value!
      return urlParts(url)
    },
  ],
])

function urlParts(url: URL | null) {
  if (url === null) return null
  const { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash } = url
  return { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash }
}

type Part = string | Uint8Array

/** The answer where a text has crossed only up to its first NUL. */
const CUT = '~'
const HMAC = 'hmac-'

/** `text`: how it is written, the encoding of the digest, and on further lines what guest/crypto.js says of the chunks. */
function digest(text: string, extras: Extras): string | Uint8Array {
  const space = text.indexOf(' ')
  const end = lineEnd(text, 0)
  const isJson = text[0] === 'j'
  const encoding = text.slice(space + 1, end)
  if (encoding !== '' && !DIGEST_ENCODINGS.includes(encoding))
    throw new TypeError(`digest gives ${DIGEST_ENCODINGS.join(', ')} or, without an argument, a Uint8Array`)
  const said = isJson ? textIn(text.slice(end + 1)) : text.slice(end + 1)
  if (!isJson && said.length !== Number(text.slice(1, space))) return CUT
  const name = said.slice(0, lineEnd(said, 0))
  const algorithm = name.startsWith(HMAC) ? name.slice(HMAC.length) : name
  if (!ALGORITHMS.includes(algorithm)) throw new TypeError('Digest method not supported')
  const parts = partsOf(said, name.length + 1, isJson, extras)
  if (parts === null) return CUT
  const wanted = encoding === '' ? 'buffer' : (encoding as BinaryToTextEncoding)
  const digested = name === algorithm ? hashOf(algorithm, parts, wanted) : hmacOf(algorithm, parts, wanted)
  if (typeof digested !== 'string') return digested
  return PLAIN_ENCODINGS.includes(encoding) ? `=${digested}` : JSON.stringify([digested])
}

type DigestEncoding = BinaryToTextEncoding | 'buffer'

/** Of one part without an object of Node's for it, which takes as long as a short hash. */
function hashOf(algorithm: string, parts: Part[], encoding: DigestEncoding): string | Buffer {
  const [first] = parts
  if (parts.length === 1) return hash(algorithm, first!, encoding)
  return digestOf(createHash(algorithm), parts, encoding)
}

function hmacOf(algorithm: string, [key, ...parts]: Part[], encoding: DigestEncoding): string | Buffer {
  if (key === undefined) throw new TypeError('createHmac needs a key')
  const known = HMAC_ALGORITHMS.find((one) => one === algorithm)
  return known ? hmacOnce(known, key, parts, encoding) : digestOf(createHmac(algorithm, key), parts, encoding)
}

function digestOf(hash: Hash | Hmac, parts: Part[], encoding: DigestEncoding): string | Buffer {
  for (const part of parts) hash.update(part)
  return encoding === 'buffer' ? hash.digest() : hash.digest(encoding)
}

/** Code can make the guest say anything here: a length below 0 would lead back, and to no end. */
const CHUNK = /^([it])(\d{1,9}) (.*)$/s
/** The guest puts 3,000 characters into one text, so no more chunks than this, of 8 characters at least. */
const MOST_INLINE = 375

/** Reads the chunks that begin at a place; returns null if one was cut. */
function partsOf(said: string, from: number, isJson: boolean, extras: Extras): Part[] | null {
  const parts: Part[] = []
  let crossed = 0
  let inline = 0
  for (let at = from; at < said.length; ) {
    const line = said.slice(at, lineEnd(said, at))
    at += line.length + 1
    if (line === 'b') {
      parts.push(extras.bytes(crossed++))
      continue
    }
    const [, kind, digits, encoding] = CHUNK.exec(line) ?? unreadable()
    const length = Number(digits)
    if (kind === 'i') {
      if (++inline > MOST_INLINE) unreadable()
      parts.push(encoded(said.slice(at, at + length), encoding!))
      at += length + 1
    } else {
      const text = isJson ? textIn(extras.text(crossed++)) : extras.text(crossed++)
      if (text.length !== length) return null
      parts.push(encoded(text, encoding!))
    }
  }
  return parts
}

function unreadable(): never {
  throw new TypeError('no such chunk')
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function textIn(json: string): string {
  const text = parseJson(json)
  if (typeof text !== 'string') throw new TypeError('not text')
  return text
}

function encoded(text: string, encoding: string): Part {
  if (!TEXT_ENCODINGS.includes(encoding)) throw new TypeError(`Unknown encoding: ${encoding.slice(0, 40)}`)
  return encoding === 'utf8' || encoding === 'utf-8' ? text : Buffer.from(text, encoding as BufferEncoding)
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError('not a list')
  return value
}

function texts(value: unknown): string[] {
  const items = list(value)
  if (items.length === 0 || items.some((item) => typeof item !== 'string')) throw new TypeError('not text')
  return items as string[]
}

function pairs(value: unknown): [string, string][] {
  return list(value).map((pair) => texts(pair).slice(0, 2) as [string, string])
}
