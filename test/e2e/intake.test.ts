// Tests more deliveries at once than one turn accepts: they are pipelined in one piece, so that all are there in one turn.
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, it, vi } from 'vitest'
import { openSandbox, openTestRuntime } from '../../src/app/test-runtime.ts'
import { PlainExchange } from '../../src/http/webhooks/exchange.ts'
import { createWebhookListener } from '../../src/http/webhooks/listener.ts'
import { PlainReply } from '../../src/http/webhooks/plain/plain-reply.ts'
import { readRequest } from '../../src/http/webhooks/plain/read-request.ts'
import { checkSender } from '../../src/operations/deliveries/check-sender.ts'
import type { DeliveryHead } from '../../src/operations/deliveries/delivery-head.ts'
import { Intake } from '../../src/operations/deliveries/intake.ts'
import type { RouteRecord } from '../../src/operations/ports/flows.ts'
import type { Services } from '../../src/operations/services.ts'
import { LoopWatch } from '../../src/operations/upkeep/loop-watch.ts'
import { connectRaw, requestBytes } from '../harness/raw-request.ts'

it('stores what a turn has room for and refuses the rest with Retry-After, in the order of the checks', async () => {
  const sandbox = openSandbox()
  const runtime = await openTestRuntime({ startMs: 0, env: {}, config: {}, connections: {}, sandbox })
  const bugs: unknown[] = []
  const services = {
    ...runtime.services,
    intake: new Intake(() => {}, { beginMs: 0, perTurn: 2, refuseMs: 60_000, mostStoring: 10 }),
    watch: new LoopWatch({ held: () => {} }),
  }
  const listener = createWebhookListener(
    services as unknown as Services,
    () => '127.0.0.1',
    (bug) => bugs.push(bug),
  )
  const server = createServer((request, response) => listener({ request, response }))
  try {
    const document = { name: 'Busy', trigger: { kind: 'webhook' }, steps: [] }
    const route = (await runtime.publish(document)) as RouteRecord
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const connection = await connectRaw((server.address() as AddressInfo).port)
    const target = `/api/v1/webhooks/${route.webhookId}`
    connection.write(
      Buffer.concat([
        requestBytes({ target }),
        requestBytes({ target }),
        requestBytes({ target }),
        requestBytes({ target: '/api/v1/webhooks/unknown' }),
        requestBytes({ target, method: 'PUT' }),
      ]),
    )
    const answers = []
    for (let i = 0; i < 5; i++) answers.push(await connection.reply())
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 503, 404, 405])
    expect(answers[2]!.body).toMatchObject({ status: 'error', code: 'overloaded' })
    expect(answers[2]!.headers.get('retry-after')).toBe('1')
    connection.write(requestBytes({ target }))
    expect((await connection.reply()).status).toBe(200)
    connection.socket.destroy()
    const { items } = await runtime.services.runs.list(
      { flowId: route.flowId, status: null, since: null, until: null },
      { limit: 10, cursor: null },
    )
    expect(items).toHaveLength(3)
    expect(bugs).toEqual([])
  } finally {
    server.close()
    await runtime.close()
    await sandbox.close()
  }
})

it('counts what joins the line once it is stored as ahead in it, for a webhook that answers with its run', async () => {
  const sandbox = openSandbox()
  const runtime = await openTestRuntime({ startMs: 0, env: {}, config: {}, connections: {}, sandbox })
  try {
    const intake = new Intake(() => {})
    const queue = { ...runtime.services.queue, size: 0, isSlow: (joining: number) => joining > 1 }
    const services = { ...runtime.services, intake, queue }
    const trigger = { kind: 'webhook', response: { mode: 'finished' } }
    const route = (await runtime.publish({ name: 'Answers', trigger, steps: [] })) as RouteRecord
    const head = {
      webhookId: route.webhookId,
      test: false,
      method: 'POST',
      rawHeaders: ['Content-Type', 'application/json'],
      headers: { 'content-type': 'application/json' },
      queryAll: {},
      hops: 0,
      metadata: { contentType: 'application/json', contentLength: 2 },
    } as unknown as DeliveryHead
    const check = () => checkSender(services, head, route, false)
    const first = Promise.withResolvers<void>()
    const second = Promise.withResolvers<void>()
    void intake.join(first.promise)
    expect(await check()).toMatchObject({ head })
    const joined = intake.join(second.promise)
    await expect(check()).rejects.toMatchObject({ code: 'overloaded' })
    second.resolve()
    await joined
    expect(await check()).toMatchObject({ head })
    first.resolve()
  } finally {
    await runtime.close()
    await sandbox.close()
  }
})

it('lets the body of a plain delivery go when it is stored: its sender may wait for long', async () => {
  const sandbox = openSandbox()
  const runtime = await openTestRuntime({ startMs: 0, env: {}, config: {}, connections: {}, sandbox })
  try {
    const trigger = { kind: 'webhook', response: { mode: 'finished' } }
    const { webhookId } = (await runtime.publish({ name: 'Waits', trigger, steps: [] })) as RouteRecord
    const services = {
      ...runtime.services,
      intake: new Intake(() => {}),
      watch: new LoopWatch({ held: () => {} }),
    } as unknown as Services
    const socket = { write: vi.fn() } as unknown as Socket
    const bytes = requestBytes({ target: `/api/v1/webhooks/${webhookId}`, body: '{"n":1}' })
    const heldAtReply = await new Promise<number>((resolve, reject) => {
      const replied = () => resolve(exchange.request.body.length)
      const exchange = new PlainExchange(
        readRequest(bytes, socket)!,
        new PlainReply({ socket, isLast: false, replied }),
      )
      createWebhookListener(services, () => '127.0.0.1', reject)(exchange)
      expect(exchange.request.body).toHaveLength(7)
    })
    expect(heldAtReply).toBe(0)
    expect(socket.write).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n/), 'latin1')
  } finally {
    await runtime.close()
    await sandbox.close()
  }
})

it('lets senders wait for their refusals once these have taken a share of the time, and for less than a second', async () => {
  const sandbox = openSandbox()
  const runtime = await openTestRuntime({ startMs: 0, env: {}, config: {}, connections: {}, sandbox })
  let nowMs = 1_000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  try {
    const trigger = { kind: 'webhook', response: { mode: 'finished' } }
    const { flowId, version, webhookId } = (await runtime.publish({
      name: 'Answers',
      trigger,
      steps: [],
    })) as RouteRecord
    await runtime.services.published.version(flowId, version!)
    const services = {
      ...runtime.services,
      intake: new Intake(() => {}),
      queue: { ...runtime.services.queue, size: 0, isSlow: () => true },
      watch: new LoopWatch({ held: () => {} }),
    } as unknown as Services
    const write = vi.fn<(text: string) => boolean>(() => {
      nowMs += 0.1
      return true
    })
    const socket = { write } as unknown as Socket
    const bytes = requestBytes({ target: `/api/v1/webhooks/${webhookId}` })
    const listener = createWebhookListener(
      services,
      () => '127.0.0.1',
      (bug) => expect.unreachable(String(bug)),
    )
    for (let i = 0; i < 300; i++)
      listener(
        new PlainExchange(readRequest(bytes, socket)!, new PlainReply({ socket, isLast: false, replied: () => {} })),
      )
    expect(write.mock.calls.length).toBeGreaterThan(90)
    expect(write.mock.calls.length).toBeLessThan(150)
    nowMs += 2_000
    await vi.waitFor(() => expect(write).toHaveBeenCalledTimes(300), { timeout: 30_000 })
    for (const [text] of write.mock.calls) expect(text).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: \d+\r\n/s)
  } finally {
    clock.mockRestore()
    await runtime.close()
    await sandbox.close()
  }
})
