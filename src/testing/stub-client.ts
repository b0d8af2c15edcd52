// Stands in for the HTTP client: answers with the stubs of the test, and keeps the requests. Nothing leaves the process.
import { createHash } from 'node:crypto'
import { CODE } from '../base/error-catalogue.ts'
import {
  type BodySource,
  type HttpClient,
  isBodySource,
  OutboundError,
  type OutboundReply,
  type OutboundRequest,
} from '../engine/ports/http-client.ts'
import { collectPairs, isJsonType, lastValues, mediaType } from '../engine/webhook-data.ts'
import type { FixtureReply, FixtureStub } from '../flow/fixture.ts'
import { parseJson } from '../flow/json/parse-json.ts'
import { differences } from './match.ts'
import { matchesWildcard } from './wildcard.ts'

export interface SentRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: unknown
}

export class StubClient implements HttpClient {
  /** Since the last call of `answerWith`. */
  sent: SentRequest[] = []
  /** Requests that no stub answers. */
  unexpected: string[] = []
  #stubs: { stub: FixtureStub; used: number }[] = []

  /** From here on these stubs answer. */
  answerWith(stubs: readonly FixtureStub[]): void {
    this.sent = []
    this.unexpected = []
    this.#stubs = stubs.map((stub) => ({ stub, used: 0 }))
  }

  async send(request: OutboundRequest): Promise<OutboundReply> {
    const { method, url, headers, body } = request
    // A request that the real client would refuse is also refused here.
    request.check?.({ url: new URL(url), method, headers, body })
    const sent = await shown(request)
    this.sent.push(sent)
    const reply = this.#replyTo(sent)
    if (reply.error)
      throw new OutboundError(reply.error, `The stub says: ${reply.error}`, 'This is what the test wants to see.')
    const answer = answerOf(reply, url)
    if (!request.into || answer.status >= 400) return answer
    await request.into.take(whole(answer.body))
    return { ...answer, body: new Uint8Array() }
  }

  #replyTo({ method, url, body }: SentRequest): FixtureReply {
    for (const entry of this.#stubs) {
      const { stub } = entry
      if ((stub.method ?? method).toUpperCase() !== method || !matchesWildcard(stub.url, url)) continue
      if (stub.body !== undefined && differences(stub.body, body, '').length) continue
      if (!stub.replies) return stub.reply ?? {}
      const reply = stub.replies[entry.used]
      if (!reply) continue
      entry.used++
      return reply
    }
    this.unexpected.push(`${method} ${url}`)
    throw new OutboundError(CODE.connection_refused, `No stub answers ${method} ${url}`, 'Add a stub to the test.')
  }
}

async function* whole(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

async function shown({ method, url, headers, body }: OutboundRequest): Promise<SentRequest> {
  const sent: Record<string, string> = {}
  for (const { name, value } of headers) {
    const key = name.toLowerCase()
    sent[key] = sent[key] === undefined ? value : `${sent[key]}, ${value}`
  }
  return {
    method,
    url,
    headers: sent,
    body: isBodySource(body) ? await described(body) : readable(body, sent['content-type'] ?? null),
  }
}

/** Bytes are described, not shown. */
async function described({ size, open }: BodySource): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256')
  for await (const chunk of open()) hash.update(chunk)
  return { size, sha256: hash.digest('hex') }
}

function readable(body: Exclude<OutboundRequest['body'], BodySource>, contentType: string | null): unknown {
  if (body === null) return null
  const text = typeof body === 'string' ? body : Buffer.from(body).toString()
  const type = mediaType(contentType)
  if (type === 'application/x-www-form-urlencoded') return lastValues(collectPairs(new URLSearchParams(text)))
  if (!isJsonType(type)) return text
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

function answerOf({ status = 200, headers = {}, body, base64 }: FixtureReply, url: string): OutboundReply {
  const lowerCase: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(headers)) lowerCase[name.toLowerCase()] = value
  const isText = typeof body === 'string' && !isJsonType(mediaType(lowerCase['content-type'] ?? null))
  const bytes =
    base64 !== undefined
      ? Buffer.from(base64, 'base64')
      : Buffer.from(body === undefined ? '' : isText ? body : JSON.stringify(body))
  if (body !== undefined) lowerCase['content-type'] ??= isText ? 'text/plain; charset=utf-8' : 'application/json'
  const cookies = lowerCase['set-cookie'] === undefined ? [] : [lowerCase['set-cookie']]
  return { status, headers: lowerCase, cookies, body: bytes, url, redirects: 0, durationMs: 0 }
}
