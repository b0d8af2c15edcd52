// Sends a message to a webhook, signed as Standard Webhooks say.
import type { HttpClient } from '../../engine/ports/http-client.ts'
import { signedHeaders } from './message.ts'

const TIMEOUT_MS = 15_000

interface SignedMessage {
  url: string
  secret: string
  id: string
  contentType: string
  body: string
  /** The time, in milliseconds, that the signature holds. */
  at: number
  signal: AbortSignal | null
}

/** Rejects with the reason if the webhook does not take it. */
export async function postSigned(http: HttpClient, message: SignedMessage): Promise<void> {
  const { url, secret, id, contentType, body, at, signal } = message
  const headers = { 'content-type': contentType, ...signedHeaders(id, body, secret, at) }
  const { status } = await http.send({
    method: 'POST',
    url,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value, credential: false })),
    body,
    timeoutMs: TIMEOUT_MS,
    followRedirects: false,
    hops: 0,
    signal,
  })
  if (status < 200 || status > 299) throw new Error(`The webhook answered with status ${status}.`)
}
