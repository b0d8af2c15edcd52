// Sends a delivery on to a program on this machine, as its sender sent it.
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { bytesAsSent } from '../../../flow/formats/charsets.ts'

/** A delivery as the server streams it. */
export interface Listened {
  id: string
  receivedAt: string
  outcome: string
  runId: string | null
  method: string
  query: string
  headers: [name: string, value: string][]
  body: string
  masked: boolean
}

/** `text`: the beginning of the body. */
export type Answer = { status: number; text: string; tookMs: number } | { problem: string; tookMs: number }

/** These speak of the connection to the server, or of the body on the wire, which was decoded. */
const NOT_FORWARDED = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const WAIT_MS = 30_000
const SHOWN_CHARACTERS = 200

export async function forward(target: URL, delivery: Listened, signal: AbortSignal): Promise<Answer> {
  const start = performance.now()
  const tookMs = () => Math.round(performance.now() - start)
  try {
    const replied = await send(target, delivery, AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]))
    return { ...replied, tookMs: tookMs() }
  } catch (error) {
    const { name, code, message } = error as Error & { code?: string }
    const isLate = name === 'TimeoutError' || (name === 'AbortError' && !signal.aborted)
    return { problem: isLate ? `no answer within ${WAIT_MS / 1000} s` : (code ?? message), tookMs: tookMs() }
  }
}

interface Reply {
  status: number
  text: string
}

function send(target: URL, { method, query, headers, body }: Listened, signal: AbortSignal): Promise<Reply> {
  const url = new URL(target)
  if (query !== '') url.search = url.search === '' ? query : `${url.search}&${query}`
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null
  const bytes = Buffer.from(bytesAsSent(body, type) as string)
  // A list keeps the order, the letter case and the repetitions of names.
  const sent = headers.filter(([name]) => !NOT_FORWARDED.has(name.toLowerCase())).flat()
  sent.push('Host', url.host, 'Content-Length', String(bytes.length), 'Connection', 'close')
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: sent, signal }, (response: IncomingMessage) => {
      let text = ''
      // All of it is read, so that the socket ends; only the beginning is kept.
      response.setEncoding('utf8').on('data', (chunk: string) => {
        if (text.length < SHOWN_CHARACTERS) text = (text + chunk).slice(0, SHOWN_CHARACTERS)
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode!, text }))
    })
    outgoing.on('error', reject)
    outgoing.end(bytes)
  })
}
