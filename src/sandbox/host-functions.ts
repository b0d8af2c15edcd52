// The host's functions for the guest: text and bytes in, a JSON value or bytes out. None keeps or returns a host object.
import {
  type BinaryToTextEncoding,
  createHash,
  createHmac,
  getRandomValues,
  type Hash,
  type Hmac,
  randomUUID,
  timingSafeEqual,
} from 'node:crypto'
import { formEncoded, formPairs } from '../flow/form-pairs.ts'
import { parseJson } from '../flow/json/parse-json.ts'
import { FORMAT_FUNCTIONS } from './format-functions.ts'
import type { Extras } from './quickjs/quickjs.ts'

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
  ['hash', (text: string, extras: Extras) => digest(text, extras, (algorithm) => createHash(algorithm), 0)],
  [
    'hmac',
    (text: string, extras: Extras) =>
      digest(text, extras, (algorithm, key) => createHmac(algorithm, key ?? missingKey()), 1),
  ],
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

/** `text`: the algorithm, the encoding of the digest, and a line for each chunk: see guest/crypto.js. */
function digest(
  text: string,
  extras: Extras,
  begin: (algorithm: string, key: Part | undefined) => Hash | Hmac,
  keys: 0 | 1,
): string | Uint8Array {
  const [algorithm, encoding, ...kinds] = text.split('\n')
  if (!ALGORITHMS.includes(algorithm!)) throw new TypeError('Digest method not supported')
  if (encoding !== '' && !DIGEST_ENCODINGS.includes(encoding!))
    throw new TypeError(`digest gives ${DIGEST_ENCODINGS.join(', ')} or, without an argument, a Uint8Array`)
  const parts: Part[] = []
  for (const [i, kind] of kinds.entries()) {
    const part = partOf(kind, i, extras)
    if (part === null) return CUT
    parts.push(part)
  }
  const hash = begin(algorithm!, keys === 0 ? undefined : parts[0])
  for (const part of keys === 0 ? parts : parts.slice(1)) hash.update(part)
  if (encoding === '') return hash.digest()
  const digested = hash.digest(encoding as BinaryToTextEncoding)
  return PLAIN_ENCODINGS.includes(encoding!) ? `=${digested}` : JSON.stringify([digested])
}

/** The answer where a text has crossed only up to its first NUL. */
const CUT = '~'

/** Returns null for a text that was cut. */
function partOf(kind: string, index: number, extras: Extras): Part | null {
  if (kind === 'b') return extras.bytes(index)
  const crossed = extras.text(index)
  const isJson = kind.startsWith('j')
  const text = isJson ? parseJson(crossed) : crossed
  if (typeof text !== 'string') throw new TypeError('not text')
  const before = isJson ? 0 : kind.indexOf(' ')
  if (!isJson && crossed.length !== Number(kind.slice(1, before))) return null
  const encoding = kind.slice(before + 1)
  if (!TEXT_ENCODINGS.includes(encoding)) throw new TypeError(`Unknown encoding: ${encoding.slice(0, 40)}`)
  return encoding === 'utf8' || encoding === 'utf-8' ? text : Buffer.from(text, encoding as BufferEncoding)
}

function missingKey(): never {
  throw new TypeError('createHmac needs a key')
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
