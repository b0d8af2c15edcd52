// The start of tests of the management API: a Millrace, an upstream, and small documents.
import { expect } from 'vitest'
import { type Gate, startGate } from './gate.ts'
import { type Answer, type Millrace, startMillrace } from './millrace.ts'
import { startUpstream, type Upstream } from './upstream.ts'

export interface Managed {
  millrace: Millrace
  /** Echoes the path and the body; `/status/503` answers 503. */
  upstream: Upstream
  gate: Gate
  api: Millrace['api']
  /** Saves a draft. */
  create(...parts: Parameters<typeof documentOf>): Promise<Answer['body']>
  stop(): Promise<void>
}

export async function startManaged(): Promise<Managed> {
  const upstream = await startUpstream((request, response) => {
    const status = Number(/^\/status\/(\d+)/.exec(request.url)?.[1] ?? 200)
    response.writeHead(status, { 'content-type': 'application/json', 'x-from': 'upstream' })
    response.end(JSON.stringify({ path: request.url, body: request.body }))
  })
  const gate = await startGate()
  const millrace = await startMillrace({ MILLRACE_ENV_UP: upstream.url, MILLRACE_ENV_GATE: gate.url })
  return {
    millrace,
    upstream,
    gate,
    api: millrace.api,
    create: async (...parts) => (await millrace.api('POST', '/flows', documentOf(...parts))).body,
    async stop() {
      gate.open()
      await millrace.stop()
      await upstream.close()
      await gate.close()
    },
  }
}

export const documentOf = (steps: object[] = [], trigger: object = {}, name = 'Managed') => ({
  name,
  trigger: { kind: 'webhook', ...trigger },
  steps,
})

export const call = { id: 'call', kind: 'http', method: 'GET', url: '{{ env.UP }}/{{ webhook.body.n }}' }
export const held = { id: 'held', kind: 'http', method: 'GET', url: '{{ env.GATE }}' }
export const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

export function expectIssues(answer: Answer, issues: [path: string, code: string][]): void {
  expect(answer.status).toBe(422)
  expect(answer.body).toMatchObject({
    status: 'error',
    code: 'flow_invalid',
    requestId: answer.headers.get('x-request-id'),
  })
  expect(answer.body.issues.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual(issues)
  for (const { message } of answer.body.issues) expect(message).toMatch(/\S/)
}
