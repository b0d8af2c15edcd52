// The reply's bytes as flows see them: JSON, text or base64 (contract §3).

import { isUtf8 } from 'node:buffer'
import { parseJson } from '../../flow/parse-json.ts'

/** Deeper JSON stays text: later steps could not write it out again. */
const MAX_DEPTH = 200

const TEXT_TYPES = new Set([
  'application/xml',
  'application/javascript',
  'application/ecmascript',
  'application/x-javascript',
  'application/x-www-form-urlencoded',
  'application/graphql',
  'application/yaml',
  'application/x-yaml',
  'application/toml',
  'application/sql',
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/json-seq',
])

export function decodeBody(body: Uint8Array, contentType: string | undefined): unknown {
  if (body.length === 0) return null
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const type = /^\s*([^\s;,/]+\/[^\s;,]+)/.exec(contentType ?? '')?.[1]?.toLowerCase()
  if (type === undefined) return isUtf8(bytes) ? utf8(bytes) : binary(bytes, null)
  if (type === 'application/json' || type.endsWith('+json')) return jsonOrText(decodeText(bytes, contentType!))
  if (type.startsWith('text/') || type.endsWith('+xml') || TEXT_TYPES.has(type)) return decodeText(bytes, contentType!)
  return binary(bytes, contentType!)
}

function binary(
  bytes: Buffer,
  contentType: string | null,
): { base64: string; contentType: string | null; size: number } {
  return { base64: bytes.toString('base64'), contentType, size: bytes.length }
}

/** A charset that nobody knows is read as UTF-8, with U+FFFD for what is not. */
function decodeText(bytes: Buffer, contentType: string): string {
  const charset = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,]*))/i.exec(contentType)
  const label = (charset?.[1] ?? charset?.[2] ?? charset?.[3] ?? 'utf-8').trim().toLowerCase()
  if (label === 'utf-8' || label === 'utf8') return utf8(bytes)
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return utf8(bytes)
  }
}

function utf8(bytes: Buffer): string {
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', bom ? 3 : 0)
}

function jsonOrText(text: string): unknown {
  try {
    const value: unknown = parseJson(text)
    return mayBeDeep(text) && !isWithinDepth(value, MAX_DEPTH) ? text : value
  } catch {
    return text
  }
}

/** Cheap, and false for nearly every reply: it has fewer brackets in all than the depth allowed. */
function mayBeDeep(text: string): boolean {
  return opens(text, '[') + opens(text, '{') > MAX_DEPTH
}

function opens(text: string, bracket: string): number {
  let count = 0
  for (let at = text.indexOf(bracket); at !== -1 && count <= MAX_DEPTH; at = text.indexOf(bracket, at + 1)) count++
  return count
}

function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  return Object.values(value).every((item) => isWithinDepth(item, depth - 1))
}
