// Checks a body that has been read, and builds the data that the flow reads.

import { isUtf8 } from 'node:buffer'
import { CODE } from '../../base/error-catalogue.ts'
import { FORM_TYPE, isJsonType, isXmlType, mediaType, parseBody, type WebhookData } from '../../engine/webhook-data.ts'
import { countFields, MOST_FIELDS } from '../../flow/form-pairs.ts'
import { charsetOfBody, charsetOfMark } from '../../flow/formats/charsets.ts'
import { FormatError } from '../../flow/formats/format-error.ts'
import { readXml } from '../../flow/formats/read-xml.ts'
import type { XmlParsing } from '../../flow/formats/xml-lists.ts'
import { jsonProblem, measureJson, SENDER_LIMITS, someInfinite } from '../../flow/json/json-limits.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { type Authenticated, checkSignature, readsContent } from './credentials.ts'
import { queryOf } from './delivery-head.ts'
import { Rejection } from './rejection.ts'
import type { DeliveryServices } from './services.ts'

/** Throws Rejection if the body fails a check. */
export function checkBody(services: DeliveryServices, admission: Authenticated, bytes: Buffer): WebhookData {
  if (!readsContent(admission.trigger.auth)) {
    checkSignature(services, admission, bytes)
    return readContent(admission, bytes)
  }
  const content = readContent(admission, bytes)
  checkSignature(services, admission, bytes, content)
  return content
}

/** Reads a body, whoever sent it. Throws Rejection if it is not as it has to be. */
export function readContent({ head, trigger }: Pick<Authenticated, 'head' | 'trigger'>, bytes: Buffer): WebhookData {
  const { contentType } = head.metadata
  const type = mediaType(contentType)
  const rawBody = textOf(bytes, contentType, type)
  if (rawBody.includes('\0')) throw bad('The body contains a NUL character.')
  let body: unknown
  if (isJsonType(type)) {
    const measured = measureJson(rawBody, SENDER_LIMITS)
    const problem = jsonProblem(measured, SENDER_LIMITS)
    if (problem) throw bad(`The JSON is ${problem}.`)
    try {
      body = parseJson(rawBody)
    } catch (error) {
      throw bad(
        rawBody === '' ? 'The body is empty; send a JSON document.' : `The body is not valid JSON: ${jsonFault(error)}`,
      )
    }
    if (measured.mayOverflow && someInfinite(body)) throw bad('The JSON holds a number that is too large.')
  } else {
    if (type === FORM_TYPE && countFields(rawBody) > MOST_FIELDS)
      throw bad(`The form has more than ${MOST_FIELDS.toLocaleString('en')} fields.`)
    body = trigger.xml && isXmlType(type) ? xmlOf(rawBody, trigger.xml) : parseBody(contentType, rawBody)
  }
  const metadata = { ...head.metadata, contentLength: bytes.length }
  if (trigger.xml && isXmlType(type)) metadata.xml = trigger.xml
  return {
    body,
    headers: head.headers,
    query: queryOf(head),
    queryAll: head.queryAll,
    rawBody,
    metadata,
  }
}

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
    if (error instanceof FormatError) throw bad(`The body is not XML that can be read: ${error.message}.`)
    throw error
  }
}

/** Describes the fault without V8's quote of the text: the sender knows the text, and logs must not hold it. */
function jsonFault(error: unknown): string {
  const message = (error as Error).message
  const position = /at position (\d+)/.exec(message)
  return position ? `there is a fault at position ${position[1]}.` : 'it ends too early or is no JSON at all.'
}
