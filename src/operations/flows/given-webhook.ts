// Builds webhook data for a test from what the user gives; missing parts come from the latest sample or from defaults.
import { CODE } from '../../base/error-catalogue.ts'
import {
  collectPairs,
  isJsonType,
  isXmlType,
  lastValues,
  mediaType,
  parseBody,
  type WebhookData,
} from '../../engine/webhook-data.ts'
import { FormatError } from '../../flow/formats/format-error.ts'
import { writeXml } from '../../flow/formats/write-xml.ts'
import type { XmlParsing } from '../../flow/formats/xml-lists.ts'
import { OperationError } from '../operation-error.ts'
import type { SampleRecord } from '../ports/deliveries.ts'
import type { FlowServices } from './services.ts'

export type GivenWebhook = Partial<Pick<WebhookData, 'body' | 'headers' | 'query' | 'rawBody'>>

export function givenWebhook(
  services: FlowServices,
  given: GivenWebhook | undefined,
  latest: SampleRecord | null,
  parsing: XmlParsing | null,
): WebhookData {
  const sample = latest?.webhook
  if (given === undefined && sample) return sample
  const headers: Record<string, string> = Object.create(null)
  headers['content-type'] = 'application/json'
  for (const [name, value] of Object.entries(given?.headers ?? sample?.headers ?? {}))
    headers[name.toLowerCase()] = String(value)
  const contentType = headers['content-type']!
  const queryAll = given?.query
    ? collectPairs(Object.entries(given.query).map(([name, value]) => [name, String(value)]))
    : (sample?.queryAll ?? Object.create(null))
  const xml = parsing && isXmlType(mediaType(contentType)) ? parsing : null
  const { body, rawBody } =
    given?.body === undefined && given?.rawBody === undefined && sample ? sample : givenBody(given, contentType, xml)
  return {
    body,
    headers,
    query: lastValues(queryAll),
    queryAll,
    rawBody,
    metadata: {
      requestId: services.ids.next('req'),
      receivedAt: new Date(services.now()).toISOString(),
      method: 'POST',
      path: '',
      ip: '127.0.0.1',
      userAgent: headers['user-agent'] ?? null,
      contentType,
      contentLength: Buffer.byteLength(rawBody),
      test: true,
      ...(xml && { xml }),
    },
    ...(sample?.files && { files: sample.files }),
    ...(sample?.file && { file: sample.file }),
  }
}

function givenBody(
  given: GivenWebhook | undefined,
  contentType: string,
  xml: XmlParsing | null,
): Pick<WebhookData, 'body' | 'rawBody'> {
  const body = given?.body ?? {}
  const isText = typeof body === 'string' && !isJsonType(mediaType(contentType))
  const rawBody = given?.rawBody ?? (isText ? body : xml ? writtenXml(body) : JSON.stringify(body))
  const isParsed = given?.body !== undefined && !(isText && xml)
  return { body: isParsed ? given.body : parsed(contentType, rawBody, xml), rawBody }
}

function parsed(contentType: string, rawBody: string, xml: XmlParsing | null): unknown {
  try {
    return parseBody(contentType, rawBody, xml)
  } catch (error) {
    const why = error instanceof FormatError ? `XML that can be read: ${error.message}` : 'valid JSON'
    throw new OperationError(CODE.invalid_request, `webhook.rawBody is not ${why}; give webhook.body instead.`)
  }
}

export function writtenXml(body: unknown): string {
  try {
    return writeXml(body)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new OperationError(CODE.invalid_request, `webhook.body cannot be XML: ${error.message}.`)
  }
}
