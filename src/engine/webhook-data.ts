// Builds the data that a flow reads as `webhook`, from a delivery or from its stored parts.

import { BareObject } from '../base/bare-object.ts'
import { formPairs } from '../flow/form-pairs.ts'
import { MULTIPART } from '../flow/formats/file-types.ts'
import { readXml } from '../flow/formats/read-xml.ts'
import { LARGE_XML, readXmlInTurns } from '../flow/formats/read-xml-in-turns.ts'
import type { XmlParsing } from '../flow/formats/xml-lists.ts'
import { parseJson } from '../flow/json/parse-json.ts'
import { LARGE_JSON, readJson } from '../flow/json/read-json.ts'
import type { FileValue } from './ports/files.ts'

/** The root `webhook`: docs/webhooks.md#what-a-flow-gets */
export interface WebhookData {
  body: unknown
  headers: Record<string, string>
  query: Record<string, string>
  queryAll: Record<string, string[]>
  rawBody: string
  metadata: WebhookMetadata
  /** The files of a multipart body, by the name of their field: a list where a field has several. */
  files?: Readonly<Record<string, FileValue | readonly FileValue[]>>
  /** The body, where it is a file itself. */
  file?: FileValue
}

export interface WebhookMetadata {
  requestId: string
  receivedAt: string
  method: string
  path: string
  ip: string
  userAgent: string | null
  contentType: string | null
  contentLength: number
  test: boolean
  /** How the body was parsed as XML; left out where it was not. */
  xml?: XmlParsing
}

/** The parts of a delivery that are stored as JSON. The body is stored separately, as received. */
export type StoredRequest = Pick<WebhookData, 'headers' | 'queryAll' | 'metadata' | 'files' | 'file'>

export function storedRequest({ headers, queryAll, metadata, files, file }: WebhookData): StoredRequest {
  const request: StoredRequest = { headers, queryAll, metadata }
  if (files) request.files = files
  if (file) request.file = file
  return request
}

/** Returns what is left of a request whose data is deleted. */
export const blankRequest = ({ requestId, receivedAt, method, path, test }: WebhookMetadata): StoredRequest => ({
  headers: {},
  queryAll: {},
  metadata: {
    requestId,
    receivedAt,
    method,
    path,
    ip: '',
    userAgent: null,
    contentType: null,
    contentLength: 0,
    test,
  },
})

export const webhookData = (request: StoredRequest, rawBody: string): WebhookData =>
  withBody(request, rawBody, request.file ? null : bodyOf(request.metadata, rawBody))

/** Returns the same, in several turns of the event loop if the body is large. */
export async function webhookDataInTurns(request: StoredRequest, rawBody: string): Promise<WebhookData> {
  const { file, metadata } = request
  const type = mediaType(metadata.contentType)
  const isJson = isJsonType(type) && rawBody.length > LARGE_JSON
  const xml = isXmlType(type) && rawBody.length > LARGE_XML ? metadata.xml : undefined
  if (file || !(isJson || xml)) return webhookData(request, rawBody)
  const reading = xml ? readXmlInTurns(rawBody, xml) : readJson(rawBody)
  return withBody(request, rawBody, await reading.catch(() => rawBody))
}

function withBody(request: StoredRequest, rawBody: string, body: unknown): WebhookData {
  return {
    body,
    headers: request.headers,
    query: lastValues(request.queryAll),
    queryAll: request.queryAll,
    rawBody,
    metadata: request.metadata,
    ...(request.files && { files: request.files }),
    ...(request.file && { file: request.file }),
  }
}

/** Returns the ids of the files that came with a delivery, each once. */
export function filesIn({ files, file }: Pick<WebhookData, 'files' | 'file'>): string[] {
  const values = [...(files ? Object.values(files).flat() : []), ...(file ? [file] : [])]
  return [...new Set(values.map((value) => value.file))]
}

/** Returns the parsed body, or its text if it is invalid: a rejected delivery may hold such a body. */
function bodyOf({ contentType, xml }: WebhookMetadata, rawBody: string): unknown {
  try {
    return parseBody(contentType, rawBody, xml)
  } catch {
    return rawBody === '' ? null : rawBody
  }
}

export function lastValues(all: Record<string, string[]>): Record<string, string> {
  const last = new BareObject() as Record<string, string>
  for (const name in all) last[name] = all[name]!.at(-1)!
  return last
}

/** Collects name/value pairs of query strings and form bodies into a map of lists. */
export function collectPairs(pairs: Iterable<[string, string]>): Record<string, string[]> {
  const all: Record<string, string[]> = Object.create(null)
  for (const [name, value] of pairs) {
    const list = all[name]
    if (list) list.push(value)
    else all[name] = [value]
  }
  return all
}

/** HTTP ignores spaces and tabs around the parts of a header, and no other characters. */
const OPTIONAL_SPACE = /^[ \t]+|[ \t]+$/g

export function mediaType(contentType: string | null): string {
  // Nearly all senders send exactly this type.
  if (contentType === 'application/json') return contentType
  return (contentType ?? '').split(';', 1)[0]!.replaceAll(OPTIONAL_SPACE, '').toLowerCase()
}

export const FORM_TYPE = 'application/x-www-form-urlencoded'

export const isJsonType = (type: string): boolean => type === 'application/json' || type.endsWith('+json')

export const isXmlType = (type: string): boolean =>
  type === 'application/xml' || type === 'text/xml' || type.endsWith('+xml')

/** Throws SyntaxError or FormatError if the body is not what its content type says. */
export function parseBody(contentType: string | null, rawBody: string, xml?: XmlParsing | null): unknown {
  const type = mediaType(contentType)
  if (isJsonType(type)) return parseJson(rawBody)
  // Of a multipart body, its text fields are stored, as a form has them.
  if (type === FORM_TYPE || type === MULTIPART) return lastValues(collectPairs(formPairs(rawBody)))
  return xml && isXmlType(type) ? readXml(rawBody, xml) : rawBody
}
