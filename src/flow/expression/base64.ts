/** Base64 of UTF-8 text, in plain JavaScript: Node and browsers share no function that does it. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const CODES = new TextEncoder().encode(ALPHABET)
const PADDING = '='.charCodeAt(0)

// Also reads the URL-safe alphabet, which tokens and webhook signatures use.
const VALUES = new Int8Array(128).fill(-1)
for (let value = 0; value < 64; value++) VALUES[CODES[value]!] = value
VALUES['-'.charCodeAt(0)] = 62
VALUES['_'.charCodeAt(0)] = 63

export function encodeBase64(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const codes = new Uint8Array(Math.ceil(bytes.length / 3) * 4)
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const group = (bytes[from]! << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0)
    codes[to] = CODES[group >> 18]!
    codes[to + 1] = CODES[(group >> 12) & 63]!
    codes[to + 2] = from + 1 < bytes.length ? CODES[(group >> 6) & 63]! : PADDING
    codes[to + 3] = from + 2 < bytes.length ? CODES[group & 63]! : PADDING
  }
  return new TextDecoder().decode(codes)
}

/** Undefined where `text` is not base64 (padding optional, white space ignored) or its bytes are not UTF-8. */
export function decodeBase64(text: string): string | undefined {
  const digits = text.replace(/[\t\n\f\r ]/g, '')
  const unpadded = digits.length % 4 === 0 ? digits.replace(/={1,2}$/, '') : digits
  if (unpadded.length % 4 === 1) return undefined
  const bytes = new Uint8Array(Math.floor((unpadded.length * 3) / 4))
  let bits = 0
  let held = 0
  let to = 0
  for (let from = 0; from < unpadded.length; from++) {
    const value = VALUES[unpadded.charCodeAt(from)] ?? -1
    if (value === -1) return undefined
    held = ((held << 6) | value) & 0xfff
    bits += 6
    if (bits >= 8) {
      bits -= 8
      bytes[to++] = (held >> bits) & 0xff
    }
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
