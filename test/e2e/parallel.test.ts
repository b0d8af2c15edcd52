// Tests what is made of a run with branches side by side: replays from a step in a branch, fixtures and HAR files.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let millrace: Millrace
let upstream: Upstream
let broken = true

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    response.writeHead(url === '/b2' && broken ? 500 : 200, { 'content-type': 'application/json' }).end('{}')
  })
  millrace = await startMillrace({ MILLRACE_ENV_UP: upstream.url })
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
})

const get = (id: string) => ({ id, kind: 'http', method: 'GET', url: `{{ env.UP }}/${id}` })

it('replays from the step of a branch that failed, and repeats nothing that had succeeded before it', async () => {
  const { post } = await millrace.publish({
    name: 'Lookups',
    trigger: { kind: 'webhook' },
    steps: [
      {
        id: 'ask',
        kind: 'parallel',
        onError: 'fail',
        branches: [
          { name: 'a', steps: [get('a1')] },
          { name: 'b', steps: [get('b1'), { id: 'pause', kind: 'wait', seconds: 0.3 }, get('b2')] },
        ],
      },
      get('after'),
    ],
  })
  const run = await millrace.runEnded((await post({})).body.id)
  expect(run).toMatchObject({ status: 'failed', error: { code: 'http_500', step: 'b2' } })
  broken = false
  const before = upstream.received.length
  const { body } = await millrace.api('POST', `/runs/${run.id}/replay`, { from: 'ask/b2' })
  const again = await millrace.runEnded(body.id)
  expect(again.status).toBe('succeeded')
  expect(again.steps.find(({ id }) => id === 'ask')!.output).toEqual({ finished: ['a', 'b'], errors: [] })
  expect(upstream.received.slice(before).map(({ url }) => url)).toEqual(['/b2', '/after'])

  const fixture = (await millrace.api('GET', `/runs/${again.id}/fixture`)).body
  expect(fixture.tests[0].expect).toMatchObject({ status: 'succeeded', unordered: true })
  const har = (await millrace.api('GET', `/runs/${again.id}/har`)).body
  expect(har.log.entries).toHaveLength(4)
})
