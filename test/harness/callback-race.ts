// Runs whose callbacks race their waits while servers are killed: each callback is sent, at a random moment from before to after
// the run waits, until it is acknowledged; then every run must have gone on with exactly what was acknowledged.
import { expect } from 'vitest'
import type { MillraceProcess } from './millrace.ts'
import { startUpstream, type Upstream } from './upstream.ts'

export const racingFlow = (url: string) => ({
  name: 'Print',
  trigger: { kind: 'webhook' },
  steps: [
    {
      id: 'ask',
      kind: 'http',
      method: 'POST',
      url,
      body: { kind: 'json', value: { n: '{{ webhook.body.n }}', callback: '{{ callbacks.printed.url }}' } },
      retry: { attempts: 100, delay: 0.05, backoff: 1 },
    },
    { id: 'pause', kind: 'wait', seconds: 0.02 },
    { id: 'printed', kind: 'wait', callback: { when: '{{ callback.body.n == webhook.body.n }}' } },
    { id: 'done', kind: 'set', vars: { got: '{{ steps.printed.body.mark }}' } },
  ],
})

export interface CallbackRace {
  upstream: Upstream
  /** Starts a run by this server, and sends its callback at some moment to whichever server answers. */
  start(server: () => MillraceProcess, webhookId: string): Promise<void>
  /** Resolves when this many runs have given their URLs away. */
  asked(count: number): Promise<void>
  /** How many have. */
  given(): number
  /** Resolves when all callbacks are acknowledged. */
  acknowledged(): Promise<void>
  /** Checks every run. */
  check(server: MillraceProcess): Promise<void>
}

/** `random` gives numbers in [0, 1). */
export async function callbackRace(server: () => MillraceProcess, random: () => number): Promise<CallbackRace> {
  const sending = new Map<number, Promise<{ run: string; mark: number }>>()
  const runs: string[] = []
  let next = 0
  const waiting: (() => void)[] = []
  const asked = async (count: number): Promise<void> => {
    while (sending.size < count) await new Promise<void>((resolve) => waiting.push(resolve))
  }
  const upstream = await startUpstream((request, response) => {
    const { n, callback } = JSON.parse(request.body) as { n: number; callback: string }
    // After a kill the same run asks again, with the same URL: its callback is under way already.
    if (!sending.has(n)) sending.set(n, send(n, new URL(callback).pathname))
    for (const look of waiting.splice(0)) look()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{}')
  })
  const persist = async <T>(attempt: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await attempt()
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }
  const post = async (path: string, body: unknown) => {
    const reply = await fetch(server().url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    })
    if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`)
    return (await reply.json()) as { id: string; message: string }
  }
  const send = async (n: number, path: string): Promise<{ run: string; mark: number }> => {
    await new Promise((resolve) => setTimeout(resolve, random() * 60))
    const mark = random()
    // What the condition does not take decides nothing.
    if (n % 3 === 0) await persist(() => post(path, { n: -1 }))
    const { id } = await persist(() => post(path, { n, mark }))
    return { run: id, mark }
  }
  return {
    upstream,
    asked,
    given: () => sending.size,
    async start(by, webhookId) {
      const n = next++
      const reply = await persist(async () => {
        const sent = await fetch(`${by().url}/api/v1/webhooks/${webhookId}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ n }),
          signal: AbortSignal.timeout(20_000),
        })
        if (sent.status !== 200) throw new Error(String(sent.status))
        return (await sent.json()) as { id: string }
      })
      runs.push(reply.id)
    },
    async acknowledged() {
      await asked(next)
      await Promise.all(sending.values())
    },
    async check(by) {
      const marks = new Map<string, number>()
      for (const { run, mark } of await Promise.all(sending.values())) marks.set(run, mark)
      for (const id of runs) {
        const mark = marks.get(id)
        // A run of a delivery that was sent twice shares its number with another, whose callback was the one sent.
        if (mark === undefined) continue
        const run = await by.runEnded(id)
        expect({ id, status: run.status, got: run.vars['got'] }).toEqual({ id, status: 'succeeded', got: mark })
      }
      expect([...marks.keys()].length).toBe(next)
    },
  }
}
