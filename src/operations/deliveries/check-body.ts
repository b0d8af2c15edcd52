// Checks a body that has been read, and builds the data that the flow reads.

import { isUtf8 } from 'node:buffer'
import { CODE } from '../../base/error-catalogue.ts'
import { FORM_TYPE, isJsonType, isXmlType, mediaType, parseBody, type WebhookData } from '../../engine/webhook-data.ts'
import { countFields, MOST_FIELDS } from '../../flow/form-pairs.ts'
import { charsetOfBody, charsetOfMark } from '../../flow/formats/charsets.ts'
import { FormatError } from '../../flow/formats/format-error.ts'
import { readXml } from '../../flow/formats/read-xml.ts'
import { LARGE_XML, readXmlInTurns } from '../../flow/formats/read-xml-in-turns.ts'
import type { XmlParsing } from '../../flow/formats/xml-lists.ts'
import { jsonProblem, measureJson, SENDER_LIMITS, someInfinite } from '../../flow/json/json-limits.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { LARGE_JSON, readWithin } from '../../flow/json/read-json.ts'
import { type Authenticated, checkSignature, readsContent } from './credentials.ts'
import { queryOf } from './delivery-head.ts'
import { Rejection } from './rejection.ts'
import type { DeliveryServices } from './services.ts'

/** Throws Rejection if the body fails a check. A large one takes several turns of the event loop. */
export function checkBody(
  services: DeliveryServices,
  admission: Authenticated,
  bytes: Buffer,
): WebhookData | Promise<WebhookData> {
  if (!readsContent(admission.trigger.auth)) {
    checkSignature(services, admission, bytes)
    return readContent(admission, bytes)
  }
  const checked = (content: WebhookData) => {
    checkSignature(services, admission, bytes, content)
    return content
  }
  const content = readContent(admission, bytes)
  return content instanceof Promise ? content.then(checked) : checked(content)
}

type Triggered = Pick<Authenticated, 'head' | 'trigger'>

/** Reads a body, whoever sent it. Throws Rejection if it is not as it has to be. Large JSON and XML take several turns of the event loop. */
export function readContent(admission: Triggered, bytes: Buffer): WebhookData | Promise<WebhookData> {
  const { contentType } = admission.head.metadata
  const type = mediaType(contentType)
  const rawBody = textOf(bytes, contentType, type)
  if (rawBody.includes('\0')) throw bad('The body contains a NUL character.')
  const large = largeBody(admission, type, rawBody)
  if (large) return large.then((body) => withBody(admission, bytes.length, rawBody, body))
  return withBody(admission, bytes.length, rawBody, bodyOf(admission, type, rawBody))
}

/** Reads a body that is so small that it is always read at once. */
export function readSmall(admission: Triggered, bytes: Buffer): WebhookData {
  const content = readContent(admission, bytes)
  if (content instanceof Promise) throw new Error('The body is not small')
  return content
}

function withBody({ head, trigger }: Triggered, contentLength: number, rawBody: string, body: unknown): WebhookData {
  const metadata = { ...head.metadata, contentLength }
  if (trigger.xml && isXmlType(mediaType(head.metadata.contentType))) metadata.xml = trigger.xml
  return {
    body,
    headers: head.headers,
    query: queryOf(head),
    queryAll: head.queryAll,
    rawBody,
    metadata,
  }
}

/** Returns null for what is read at once. */
function largeBody({ trigger }: Triggered, type: string, rawBody: string): Promise<unknown> | null {
  if (isJsonType(type)) return rawBody.length > LARGE_JSON ? largeJson(rawBody) : null
  return trigger.xml && isXmlType(type) && rawBody.length > LARGE_XML
    ? readXmlInTurns(rawBody, trigger.xml).catch(unreadableXml)
    : null
}

function bodyOf({ head, trigger }: Triggered, type: string, rawBody: string): unknown {
  if (isJsonType(type)) return smallJson(rawBody)
  if (type === FORM_TYPE && countFields(rawBody) > MOST_FIELDS)
    throw bad(`The form has more than ${MOST_FIELDS.toLocaleString('en')} fields.`)
  return trigger.xml && isXmlType(type) ? xmlOf(rawBody, trigger.xml) : parseBody(head.metadata.contentType, rawBody)
}

function smallJson(rawBody: string): unknown {
  const measured = measureJson(rawBody, SENDER_LIMITS)
  const problem = jsonProblem(measured, SENDER_LIMITS)
  if (problem) throw beyond(problem)
  let body: unknown
  try {
    body = parseJson(rawBody)
  } catch (error) {
    throw rawBody === '' ? bad('The body is empty; send a JSON document.') : invalid(error)
  }
  if (measured.mayOverflow && someInfinite(body)) throw bad(TOO_LARGE)
  return body
}

async function largeJson(rawBody: string): Promise<unknown> {
  const read = await readWithin(rawBody, SENDER_LIMITS).catch((error) => {
    throw invalid(error)
  })
  if ('problem' in read) throw beyond(read.problem)
  if (read.isInfinite) throw bad(TOO_LARGE)
  return read.value
}

const TOO_LARGE = 'The JSON holds a number that is too large.'

const beyond = (problem: string): Rejection => bad(`The JSON is ${problem}.`)

const bad = (message: string): Rejection => new Rejection(CODE.bad_request, message)

/** Reads the text in its charset. JSON and forms are UTF-8 whatever they say, unless that cannot be and they name another. */
function textOf(bytes: Buffer, contentType: string | null, type: string): string {
  const isUtf8Text = isUtf8(bytes)
  if (isJsonType(type) || type === FORM_TYPE) {
    // UTF-16 of plain letters is valid UTF-8 too, full of NUL characters.
    if (isUtf8Text && !/utf-?16/i.test(contentType!)) return bytes.toString('utf8')
    if (!/charset/i.test(contentType!)) throw bad('The body is not valid UTF-8.')
  }
  const charset = charsetOfBody(bytes, contentType, isXmlType(type))
  if (charset === 'utf-8') {
    if (!isUtf8Text) throw bad('The body is not valid UTF-8.')
    return bytes.toString('utf8', charsetOfMark(bytes) === 'utf-8' ? 3 : 0)
  }
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    throw bad(`The body is not valid text of the charset ${charset}.`)
  }
}

function xmlOf(rawBody: string, parsing: XmlParsing): unknown {
  if (rawBody === '') throw bad('The body is empty; send an XML document.')
  try {
    return readXml(rawBody, parsing)
  } catch (error) {
    return unreadableXml(error)
  }
}

function unreadableXml(error: unknown): never {
  if (error instanceof FormatError) throw bad(`The body is not XML that can be read: ${error.message}.`)
  throw error
}

/** Describes the fault without V8's quote of the text: the sender knows the text, and logs must not hold it. */
function invalid(error: unknown): Rejection {
  const position = /at position (\d+)/.exec((error as Error).message)
  const fault = position ? `there is a fault at position ${position[1]}.` : 'it ends too early or is no JSON at all.'
  return bad(`The body is not valid JSON: ${fault}`)
}
