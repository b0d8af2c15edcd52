// Reads and writes `a=1&b=2` as URLSearchParams does, but in linear time: Node 24's own takes a minute to read two megabytes of `a&`,
// and seconds to write ten megabytes of what has to be escaped.

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const PERCENT = 0x25
const PLUS = 0x2b
const SPACE = 0x20

/** The limit for senders: each field becomes a key. */
export const MOST_FIELDS = 20_000

/** Returns the number of fields, up to one more than is allowed. */
export function countFields(encoded: string): number {
  let count = 0
  for (let at = 0; at < encoded.length && count <= MOST_FIELDS; count++) {
    const end = encoded.indexOf('&', at)
    at = end === -1 ? encoded.length : end + 1
  }
  return count
}

export function* formPairs(encoded: string): Generator<[name: string, value: string]> {
  for (let at = 0; at < encoded.length; ) {
    const next = encoded.indexOf('&', at)
    const end = next === -1 ? encoded.length : next
    const pair = encoded.slice(at, end)
    at = end + 1
    if (pair === '') continue
    const equals = pair.indexOf('=')
    yield equals === -1
      ? [formDecoded(pair), '']
      : [formDecoded(pair.slice(0, equals)), formDecoded(pair.slice(equals + 1))]
  }
}

/** What stands for itself; the rest is escaped. */
const PLAIN = new Uint8Array(256)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._')
  PLAIN[character.charCodeAt(0)] = 1
const DIGITS = encoder.encode('0123456789ABCDEF')

export function formEncoded(pairs: Iterable<readonly [name: string, value: string]>): string {
  let encoded = ''
  for (const [name, value] of pairs) encoded += `${encoded === '' ? '' : '&'}${escaped(name)}=${escaped(value)}`
  return encoded
}

function escaped(text: string): string {
  const bytes = encoder.encode(text)
  const written = new Uint8Array(bytes.length * 3)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (PLAIN[byte] === 1) written[length++] = byte
    else if (byte === SPACE) written[length++] = PLUS
    else {
      written[length++] = PERCENT
      written[length++] = DIGITS[byte >> 4]!
      written[length++] = DIGITS[byte & 15]!
    }
  }
  return decoder.decode(written.subarray(0, length))
}

export const formDecoded = (text: string): string => (text.includes('+') ? decoded(text, SPACE) : percentDecoded(text))

export const percentDecoded = (text: string): string => (text.includes('%') ? decoded(text, PLUS) : text)

/** Keeps percent signs that begin no escape; other bytes than UTF-8 become U+FFFD. Uses no exceptions: they are slow. */
function decoded(text: string, plus: number): string {
  const bytes = encoder.encode(text)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const high = bytes[at] === PERCENT ? hexValue(bytes[at + 1]) : -1
    const low = high === -1 ? -1 : hexValue(bytes[at + 2])
    if (low === -1) bytes[length++] = bytes[at] === PLUS ? plus : bytes[at]!
    else {
      bytes[length++] = high * 16 + low
      at += 2
    }
  }
  return decoder.decode(bytes.subarray(0, length))
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
