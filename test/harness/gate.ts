// An upstream that holds every request until the test releases it.
import type { ServerResponse } from 'node:http'
import { type Received, startUpstream, type Upstream } from './upstream.ts'

export interface Gate extends Upstream {
  /** Answers the oldest request that is held; resolves once there was one. */
  letOne(body?: unknown, status?: number): Promise<Received>
  /** Answers all requests that are held, and all later ones. */
  open(): void
  /** Returns the number of requests that are held. */
  held(): number
}

export async function startGate(): Promise<Gate> {
  const waiting: { request: Received; response: ServerResponse }[] = []
  let opened = false
  let arrived = () => {}
  const answer = (response: ServerResponse, body: unknown, status: number) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
  const upstream = await startUpstream((request, response) => {
    if (opened) return answer(response, {}, 200)
    waiting.push({ request, response })
    arrived()
  })
  return {
    ...upstream,
    held: () => waiting.length,
    async letOne(body = {}, status = 200) {
      while (waiting.length === 0)
        await new Promise<void>((resolve) => {
          arrived = resolve
        })
      const { request, response } = waiting.shift()!
      answer(response, body, status)
      return request
    },
    open() {
      opened = true
      for (const { response } of waiting.splice(0)) answer(response, {}, 200)
    },
  }
}
