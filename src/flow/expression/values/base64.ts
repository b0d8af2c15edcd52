/** Encodes and decodes base64 of UTF-8 text, with functions that Node and browsers share. */
import { isAscii } from './evaluation.ts'

/** Few enough characters to be passed as arguments. */
const CHUNK = 8192

export function encodeBase64(text: string): string {
  // The engine's own function takes bytes as a text.
  let bytes = text
  if (!isAscii(text)) {
    const utf8 = new TextEncoder().encode(text)
    bytes = ''
    for (let from = 0; from < utf8.length; from += CHUNK)
      bytes += String.fromCharCode.apply(null, utf8.subarray(from, from + CHUNK) as unknown as number[])
  }
  return btoa(bytes)
}

/** Returns undefined if `text` is not base64 (padding optional, white space ignored) or its bytes are not UTF-8. */
export function decodeBase64(text: string): string | undefined {
  try {
    // Accepts the URL-safe alphabet too, which tokens and webhook signatures use.
    const units = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = new Uint8Array(units.length)
    for (let at = 0; at < units.length; at++) bytes[at] = units.charCodeAt(at)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
