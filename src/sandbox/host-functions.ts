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
import { formPairs } from '../flow/form-pairs.ts'
import type { Extras } from './quickjs/quickjs.ts'

type HostFunction = (args: unknown, extras: Extras) => unknown

const ALGORITHMS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']
const TEXT_ENCODINGS = ['utf8', 'utf-8', 'hex', 'base64', 'base64url', 'latin1', 'binary', 'ascii', 'utf16le']
const DIGEST_ENCODINGS = ['hex', 'base64', 'base64url', 'latin1', 'binary']
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

export const hostFunctions: ReadonlyMap<string, HostFunction> = new Map<string, HostFunction>([
  ['hash', (args, extras) => digest(record(args), extras, (algorithm) => createHash(algorithm))],
  [
    'hmac',
    (args, extras) =>
      digest(record(args), extras, (algorithm, [key, ...parts]) => {
        if (key === undefined) throw new TypeError('createHmac needs a key')
        return [createHmac(algorithm, key), parts]
      }),
  ],
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
  ['formatQuery', (args) => new URLSearchParams(pairs((args as unknown[])[0])).toString()],
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

function digest(
  { algorithm, parts, encoding }: Record<string, unknown>,
  extras: Extras,
  begin: (algorithm: string, parts: Part[]) => Hash | [Hmac, Part[]],
): unknown {
  if (!ALGORITHMS.includes(algorithm as string)) throw new TypeError('Digest method not supported')
  if (encoding !== undefined && !DIGEST_ENCODINGS.includes(encoding as string))
    throw new TypeError(`digest gives ${DIGEST_ENCODINGS.join(', ')} or, without an argument, a Uint8Array`)
  const data = list(parts).map((part) => partOf(list(part), extras))
  const begun = begin(algorithm as string, data)
  const [hash, rest] = Array.isArray(begun) ? begun : [begun, data]
  for (const part of rest) hash.update(part)
  return encoding === undefined ? hash.digest() : hash.digest(encoding as BinaryToTextEncoding)
}

function partOf([kind, value, encoding]: unknown[], extras: Extras): Part {
  if (kind === 'bytes') return extras.bytes(value as number)
  const text = kind === 'text' ? extras.text(value as number) : value
  if (typeof text !== 'string') throw new TypeError('not text')
  if (!TEXT_ENCODINGS.includes(encoding as string))
    throw new TypeError(`Unknown encoding: ${String(encoding).slice(0, 40)}`)
  return encoding === 'utf8' || encoding === 'utf-8' ? text : Buffer.from(text, encoding as BufferEncoding)
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object')
  return value as Record<string, unknown>
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
