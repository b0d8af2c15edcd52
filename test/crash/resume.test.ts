// Tests kill -9 at chosen points of one run: while it waits, and between a request and its reply.
import { rmSync } from 'node:fs'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { type MillraceProcess, spawnMillrace, temporaryFolder } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const folders: string[] = []
let upstream: Upstream
let server: MillraceProcess
afterEach(async () => {
  server.child.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  await upstream.close()
})
afterAll(() => {
  for (const made of folders) rmSync(made, { recursive: true, force: true })
})

async function kill(): Promise<void> {
  server.child.kill('SIGKILL')
  expect(await server.exited).toBe('SIGKILL')
}

async function setUp(answer: Parameters<typeof startUpstream>[0]) {
  upstream = await startUpstream(answer)
  const dataDir = temporaryFolder()
  folders.push(dataDir)
  const port = await freePort()
  const start = async () => {
    server = await spawnMillrace(dataDir, port, { MILLRACE_ENV_UP: upstream.url })
  }
  await start()
  return start
}

const call = (id: string, more: object = {}) => ({
  id,
  kind: 'http',
  method: 'POST',
  url: `{{ env.UP }}/${id}`,
  body: { kind: 'json', value: { uuid: '{{ uuid() }}' } },
  ...more,
})

describe('kill -9 while a retry waits', { timeout: 120_000 }, () => {
  it('goes on waiting after the restart, three crashes in a row, and sends each attempt once', async () => {
    const start = await setUp((request, response) => {
      // The delay is longer than the crashes take, and without jitter.
      if (request.url === '/second' && upstream.received.length < 3) response.writeHead(503, { 'retry-after': '20' })
      response.end('{}')
    })
    const { post } = await server.publish({
      name: 'retry',
      trigger: { kind: 'webhook' },
      steps: [call('first'), call('second', { retry: { attempts: 3 } })],
    })
    const { id } = (await post({})).body
    await server.runEnded(id, ['waiting'])
    for (let crash = 0; crash < 3; crash++) {
      await kill()
      await start()
      expect((await server.run(id)).status).toBe('waiting')
    }
    const run = await server.runEnded(id)
    expect(run.status).toBe('succeeded')
    expect(run.steps.map((step) => [step.path, step.attempt])).toEqual([
      ['first', 1],
      ['second', 2],
    ])
    // The attempts before the crashes are kept, and a step that succeeds at once has none.
    expect(run.steps.map((step) => step.attempts?.map(({ number, status }) => [number, status]))).toEqual([
      undefined,
      [
        [1, 503],
        [2, 200],
      ],
    ])
    expect(upstream.received.map((request) => request.url)).toEqual(['/first', '/second', '/second'])
    // A step that is sent again carries the same uuid.
    expect(upstream.received[2]!.body).toBe(upstream.received[1]!.body)
  })
})

describe('kill -9 between a request and its reply', { timeout: 60_000 }, () => {
  it('sends it again by default, and not what was journalled before', async () => {
    let hang = true
    const start = await setUp((request, response) => {
      if (request.url === '/second' && hang) return
      response.end('{}')
    })
    const { post } = await server.publish({
      name: 'resend',
      trigger: { kind: 'webhook' },
      steps: [call('first'), call('second')],
    })
    const { id } = (await post({})).body
    await upstream.count(2)
    await kill()
    hang = false
    await start()
    expect((await server.runEnded(id)).status).toBe('succeeded')
    expect(upstream.received.map((request) => request.url)).toEqual(['/first', '/second', '/second'])
  })

  it('fails as outcome_unknown with onInterrupt: fail, and sends nothing again', async () => {
    let hang = true
    const start = await setUp((_request, response) => {
      if (!hang) response.end('{}')
    })
    const { post } = await server.publish({
      name: 'once',
      trigger: { kind: 'webhook' },
      steps: [call('pay', { onInterrupt: 'fail' })],
    })
    const { id } = (await post({})).body
    await upstream.count(1)
    await kill()
    hang = false
    await start()
    const run = await server.runEnded(id)
    expect(run).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown', step: 'pay' } })
    expect(upstream.received).toHaveLength(1)
  })
})

describe('kill -9 during a code step', { timeout: 60_000 }, () => {
  it('runs the code again, and nothing that came before it', async () => {
    const start = await setUp((_request, response) => response.end('{}'))
    const { post } = await server.publish({
      name: 'code',
      trigger: { kind: 'webhook' },
      steps: [
        call('first'),
        {
          id: 'busy',
          kind: 'code',
          input: '{{ run.attempt }}',
          timeout: 30,
          code: 'export default (attempt) => { if (attempt === 1) for (;;); return attempt }',
        },
        call('last'),
      ],
    })
    const { id } = (await post({})).body
    await server.runEnded(id, ['running'])
    await upstream.count(1)
    await expect.poll(async () => (await server.run(id)).steps.at(-1)?.id, { timeout: 20_000 }).toBe('busy')
    await kill()
    await start()
    const run = await server.runEnded(id)
    expect(run.status).toBe('succeeded')
    expect(run.steps[1]!.output).toBe(2)
    expect(upstream.received.map((request) => request.url)).toEqual(['/first', '/last'])
  })
})

describe('kill -9 in the middle of a loop', { timeout: 90_000 }, () => {
  it('sends no journalled item again, three crashes in a row, and at most the lanes in flight twice', async () => {
    const CONCURRENCY = 4
    const ITEMS = 60
    let hang = new Set<string>()
    const start = await setUp((request, response) => {
      if (hang.has(JSON.parse(request.body).item)) return
      response.end('{}')
    })
    const items = Array.from({ length: ITEMS }, (_, i) => `item-${i}`)
    const { post } = await server.publish({
      name: 'loop',
      trigger: { kind: 'webhook' },
      steps: [
        {
          id: 'all',
          kind: 'loop',
          each: '{{ webhook.body.items }}',
          concurrency: CONCURRENCY,
          steps: [call('send', { body: { kind: 'json', value: { item: '{{ loop.item }}' } } })],
          collect: '{{ loop.item }}',
        },
      ],
    })
    // The first crash finds all lanes at the 10th item and after, the second at the 30th, the third at the 50th.
    const stuckAt = (from: number) => new Set(items.slice(from, from + CONCURRENCY))
    hang = stuckAt(10)
    const { id } = (await post({ items })).body
    let expected = 10 + CONCURRENCY
    for (const next of [30, 50, ITEMS]) {
      await upstream.count(expected)
      await kill()
      hang = stuckAt(next)
      await start()
      // Requests in flight are sent again, and then all up to where the run hangs next.
      expected =
        upstream.received.length + Math.min(next + CONCURRENCY, ITEMS) - (new Set(sentItems()).size - CONCURRENCY)
    }
    const run = await server.runEnded(id)
    expect(run.status).toBe('succeeded')
    expect((run.steps[0]!.output as { results: string[] }).results).toEqual(items)
    const sent = sentItems()
    expect(new Set(sent)).toEqual(new Set(items))
    expect(sent.length - ITEMS).toBeLessThanOrEqual(3 * CONCURRENCY)
  })
})

const sentItems = (): string[] => upstream.received.map((request) => JSON.parse(request.body).item)
