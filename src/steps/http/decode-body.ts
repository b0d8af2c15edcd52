// Turns the reply's bytes into what flows see: JSON, text or base64 (docs/http-request.md#the-result).

import { isUtf8 } from 'node:buffer'
import { readContentEncodings } from '../../engine/content-encodings.ts'
import { isXmlType } from '../../engine/webhook-data.ts'
import { charsetOf, charsetOfBody, charsetOfMark } from '../../flow/formats/charsets.ts'
import { FormatError } from '../../flow/formats/format-error.ts'
import { readXml } from '../../flow/formats/read-xml.ts'
import { LARGE_XML, readXmlInTurns } from '../../flow/formats/read-xml-in-turns.ts'
import { type JsonLimits, jsonProblem, measureJson, SENDER_LIMITS } from '../../flow/json/json-limits.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { LARGE_JSON, readWithin } from '../../flow/json/read-json.ts'

/** JSON above these limits stays text. Lists from APIs are long, so the limits are higher than those of deliveries. */
const LIMITS: JsonLimits = { ...SENDER_LIMITS, values: 500_000, names: 20_000 }

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

/** Returns a promise for large JSON, which is read in several turns of the event loop. */
export function decodeBody(body: Uint8Array, contentType: string | undefined, contentEncoding?: string): unknown {
  if (body.length === 0) return null
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (contentEncoding !== undefined && !isLegible(bytes, contentType, contentEncoding))
    return binary(bytes, contentType ?? null)
  const type = /^\s*([^\s;,/]+\/[^\s;,]+)/.exec(contentType ?? '')?.[1]?.toLowerCase()
  if (type === undefined) return isUtf8(bytes) ? utf8(bytes) : binary(bytes, null)
  if (type === 'application/json' || type.endsWith('+json')) return jsonOrText(decodeText(bytes, contentType, false))
  if (type.startsWith('text/') || type.endsWith('+xml') || TEXT_TYPES.has(type))
    return decodeText(bytes, contentType, isXmlType(type))
  return binary(bytes, contentType!)
}

/** Reads a reply as XML, whatever its type; null for no body. */
export async function readAsXml(
  body: Uint8Array,
  contentType: string | undefined,
  lists: readonly string[] | undefined,
): Promise<{ value: unknown } | { problem: string }> {
  if (body.length === 0) return { value: null }
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const text = decodeText(bytes, contentType, true)
  try {
    return { value: text.length > LARGE_XML ? await readXmlInTurns(text, { lists }) : readXml(text, { lists }) }
  } catch (error) {
    if (error instanceof FormatError) return { problem: error.message }
    throw error
  }
}

/** A body that is still encoded may not be text, whatever its type says. Reading it as text would destroy it. */
function isLegible(bytes: Buffer, contentType: string | undefined, contentEncoding: string): boolean {
  if (!readContentEncodings(contentEncoding).someLeft) return true
  try {
    new TextDecoder(charsetOf(contentType) ?? 'utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return isUtf8(bytes)
  }
}

function binary(
  bytes: Buffer,
  contentType: string | null,
): { base64: string; contentType: string | null; size: number } {
  return { base64: bytes.toString('base64'), contentType, size: bytes.length }
}

/** Reads text by its mark, its content type or its XML declaration; U+FFFD stands for invalid bytes. */
function decodeText(bytes: Buffer, contentType: string | undefined, isXml: boolean): string {
  const charset = charsetOfBody(bytes, contentType, isXml)
  return charset === 'utf-8' ? utf8(bytes) : new TextDecoder(charset).decode(bytes)
}

function utf8(bytes: Buffer): string {
  return bytes.toString('utf8', charsetOfMark(bytes) === 'utf-8' ? 3 : 0)
}

function jsonOrText(text: string): unknown {
  if (text.length > LARGE_JSON) return largeJsonOrText(text)
  if (jsonProblem(measureJson(text, LIMITS), LIMITS)) return text
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

async function largeJsonOrText(text: string): Promise<unknown> {
  const read = await readWithin(text, LIMITS).catch(() => null)
  return read && 'value' in read ? read.value : text
}
