// Tests that a trace continues in the process that runs the run.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, startCluster } from '../harness/cluster.ts'
import { type Databases, startDatabases } from '../harness/postgres.ts'
import { DELIVERY, newTrace, printSpans, traceOf } from '../harness/spans.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let databases: Databases
let cluster: Cluster
let upstream: Upstream

beforeAll(async () => {
  databases = await startDatabases()
  upstream = await startUpstream()
  cluster = await startCluster(await databases.create(), { web: 1, workers: 1 }, printSpans)
}, 120_000)
afterAll(async () => {
  expect(await cluster.stop()).toEqual([0, 0])
  await upstream.close()
  await databases.stop()
}, 60_000)

describe('a trace over several processes', () => {
  it('leads from the delivery in one to the run in the other', async () => {
    const [web, worker] = [cluster.web[0]!, cluster.workers[0]!]
    const { traceId, senderId, headers } = newTrace()
    const { post } = await web.publish({
      name: 'Shared',
      trigger: { kind: 'webhook' },
      steps: [{ id: 'call', kind: 'http', method: 'GET', url: upstream.url }],
    })
    await web.runEnded((await post({}, headers)).body.id)
    const delivery = (await traceOf(web, traceId, [DELIVERY]))(DELIVERY)
    expect(delivery.parent).toBe(senderId)
    const span = await traceOf(worker, traceId, ['run Shared'])
    expect(span('run Shared').parent).toBe(delivery.spanId)
    expect(upstream.received[0]!.headers['traceparent']).toBe(`00-${traceId}-${span('GET').spanId}-01`)
  })
})
