import type { HttpClient, OutboundReply, Standing } from '../engine/ports/http-client.ts'

const TIMEOUT_MS = 15_000

/** Sends one request to an authorization server. All of its headers count as credentials. */
export const sendToServer = (
  http: HttpClient,
  url: string,
  method: string,
  headers: object,
  body: string | null,
  standing: Standing | null = null,
): Promise<OutboundReply> =>
  http.send({
    method,
    url,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value: String(value), credential: true })),
    body,
    timeoutMs: TIMEOUT_MS,
    // A redirect would send the client secret elsewhere, or take keys from there.
    followRedirects: false,
    hops: 0,
    signal: null,
    standing,
  })
