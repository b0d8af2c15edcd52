// Checks a body that has been read, and builds the data that the flow reads.

import { isUtf8 } from 'node:buffer'
import { CODE } from '../../base/error-catalogue.ts'
import { FORM_TYPE, isJsonType, mediaType, parseBody, type WebhookData } from '../../engine/webhook-data.ts'
import { countFields, MOST_FIELDS } from '../../flow/form-pairs.ts'
import { jsonProblem, measureJson, SENDER_LIMITS, someInfinite } from '../../flow/json-limits.ts'
import { parseJson } from '../../flow/parse-json.ts'
import { type Authenticated, checkSignature } from './credentials.ts'
import { type DeliveryHead, queryOf } from './delivery-head.ts'
import { Rejection } from './rejection.ts'
import type { DeliveryServices } from './services.ts'

/** Throws Rejection if the body fails a check. */
export function checkBody(services: DeliveryServices, admission: Authenticated, bytes: Buffer): WebhookData {
  checkSignature(services, admission, bytes)
  return readContent(admission.head, bytes)
}

/** Reads a body, whoever sent it. Throws Rejection if it is not as it has to be. */
export function readContent(head: DeliveryHead, bytes: Buffer): WebhookData {
  const bad = (message: string) => new Rejection(CODE.bad_request, message)
  const { contentType } = head.metadata
  if (!isUtf8(bytes)) throw bad('The body is not valid UTF-8.')
  const rawBody = bytes.toString('utf8')
  if (rawBody.includes('\0')) throw bad('The body contains a NUL character.')
  let body: unknown
  const type = mediaType(contentType)
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
    body = parseBody(contentType, rawBody)
  }
  return {
    body,
    headers: head.headers,
    query: queryOf(head),
    queryAll: head.queryAll,
    rawBody,
    metadata: { ...head.metadata, contentLength: bytes.length },
  }
}

/** Describes the fault without V8's quote of the text: the sender knows the text, and logs must not hold it. */
function jsonFault(error: unknown): string {
  const message = (error as Error).message
  const position = /at position (\d+)/.exec(message)
  return position ? `there is a fault at position ${position[1]}.` : 'it ends too early or is no JSON at all.'
}
