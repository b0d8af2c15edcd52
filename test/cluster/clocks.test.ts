// Tests machines whose clocks are wrong: the database's clock decides when something is due.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCluster } from '../harness/cluster.ts'
import { type Databases, startDatabases } from '../harness/postgres.ts'
import { startUpstream } from '../harness/upstream.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.stop())

/** Returns the environment of a process in which every wall clock is off by `hours` hours. */
function hoursOff(hours: number): Record<string, string> {
  const shift = hours * 3_600_000
  const source = `const Right = Date
    globalThis.Date = class Date extends Right {
      constructor(...given) { given.length ? super(...given) : super(Right.now() + ${shift}) }
      static now() { return Right.now() + ${shift} }
    }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` }
}

/** Both waits end after about two seconds, or with a wrong clock after an hour. */
const waits = {
  'a wait': (_url: string) => [{ id: 'pause', kind: 'wait', seconds: 2 }],
  'a retry': (url: string) => [{ id: 'call', kind: 'http', method: 'GET', url, retry: { attempts: 2, delay: 2 } }],
}

describe.each(Object.entries(waits))('%s that one worker begins and another ends', (_name, steps) => {
  it.each([
    [1, 0],
    [0, 1],
  ])('is over in time where their clocks are %i and %i hours off', { timeout: 30_000 }, async (first, second) => {
    let calls = 0
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(calls++ === 0 ? 503 : 200).end()
    })
    const environment: Record<string, string> = {}
    const cluster = await startCluster(await databases.create(), { web: 1, workers: 0 }, environment)
    const [web] = cluster.web
    Object.assign(environment, hoursOff(first))
    const beginner = await cluster.add('worker')
    const { post } = await web!.publish({ name: 'Waits', trigger: { kind: 'webhook' }, steps: steps(upstream.url) })
    const { id } = (await post({})).body
    await web!.runEnded(id, ['waiting'])
    beginner.child.kill('SIGTERM')
    expect(await beginner.exited).toBe(0)
    Object.assign(environment, hoursOff(second))
    await cluster.add('worker')
    expect((await web!.runEnded(id)).status).toBe('succeeded')
    expect(await cluster.stop()).toEqual([0, 0])
    await upstream.close()
  })
})

describe('times that one process writes and another reads', () => {
  it('are by one clock', {
    timeout: 30_000,
  }, async () => {
    const environment = hoursOff(-24)
    const cluster = await startCluster(await databases.create(), { web: 1, workers: 0 }, environment)
    const { flow } = await cluster.web[0]!.publish({ name: 'Dated', trigger: { kind: 'webhook' }, steps: [] })
    Object.assign(environment, hoursOff(24))
    const ahead = await cluster.add('web')
    const other = (await ahead.publish({ name: 'Dated', trigger: { kind: 'webhook' }, steps: [] })).flow
    expect(Math.abs(Date.parse(other.createdAt) - Date.parse(flow.createdAt))).toBeLessThan(3_600_000)
    expect(await cluster.stop()).toEqual([0, 0])
  })
})
