// Holds requests against the file of a sender as a webhook does, without a server.
import { hashing } from '../../base/hashing.ts'
import { collectPairs } from '../../engine/webhook-data.ts'
import { formPairs } from '../../flow/form-pairs.ts'
import { compileFields, compileSenderAuth, type GivenFields } from '../../flow/senders/compile-sender.ts'
import type { Sender } from '../../flow/senders/schema.ts'
import { checkBody } from './check-body.ts'
import { type Authenticated, checkCredential } from './credentials.ts'
import { Rejection } from './rejection.ts'
import type { DeliveryServices } from './services.ts'

export interface SentRequest {
  /** Names and values as on the wire: name, value, name, value … */
  rawHeaders: readonly string[]
  body: Uint8Array | string
  /** The path with its query. */
  target?: string
  nowMs?: number
}

export const BASE_URL = 'https://hooks.example.com'
export const TARGET = '/api/v1/webhooks/abcdefghijklmnopqrstuvwxyz012345'

/** Returns true if the sender is let in, or the message of the refusal. */
export const letsIn = (
  sender: Pick<Sender, 'name' | 'auth'>,
  fields: GivenFields,
  request: SentRequest,
): true | string => gate(sender, fields)(request)

/** Returns what holds requests against a sender that is compiled once, as that of a published flow is. */
export function gate(
  sender: Pick<Sender, 'name' | 'auth'>,
  fields: GivenFields,
): (request: SentRequest) => true | string {
  const trigger = {
    auth: compileSenderAuth(sender),
    sender: { name: sender.name, fields: compileFields(fields), authenticates: true },
  }
  return (request) => held(trigger, request)
}

function held(trigger: Authenticated['trigger'], request: SentRequest): true | string {
  const { rawHeaders, body, target = TARGET, nowMs = Date.now() } = request
  const headers: Record<string, string> = Object.create(null)
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    headers[name] = headers[name] === undefined ? rawHeaders[i + 1]! : `${headers[name]}, ${rawHeaders[i + 1]!}`
  }
  const services = {
    env: Object.create(null),
    config: Object.create(null),
    connections: { fields: Object.create(null) },
    hashing,
    now: () => nowMs,
    warn: () => {},
    webhookBaseUrl: BASE_URL,
  } as unknown as DeliveryServices
  const question = target.indexOf('?')
  const admission: Authenticated = {
    trigger,
    route: { webhookId: '', flowId: '', version: 1, paused: false },
    head: {
      webhookId: '',
      test: false,
      method: 'POST',
      target,
      rawHeaders,
      headers,
      queryAll: question === -1 ? Object.create(null) : collectPairs(formPairs(target.slice(question + 1))),
      hops: 0,
      metadata: {
        requestId: 'req_1',
        receivedAt: new Date(nowMs).toISOString(),
        method: 'POST',
        path: question === -1 ? target : target.slice(0, question),
        ip: '127.0.0.1',
        userAgent: null,
        contentType: headers['content-type'] ?? 'application/json',
        contentLength: body.length,
        test: false,
      },
    },
  }
  try {
    checkCredential(services, admission)
    const checked = checkBody(services, admission, Buffer.from(body as string))
    if (checked instanceof Promise) throw new Error('The body is too large for this test')
    return true
  } catch (error) {
    if (error instanceof Rejection) return error.message
    throw error
  }
}
