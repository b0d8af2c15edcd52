// Tests a worker that stands still while it holds locks in the database: others continue without it, and it when it wakes.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCluster } from '../harness/cluster.ts'
import { startCuttingProxy } from '../harness/cutting-proxy.ts'
import { freePort } from '../harness/free-port.ts'
import { spawnMillrace, TEST_KEY, temporaryFolder } from '../harness/millrace.ts'
import { type PostgresServer, query, startPostgres } from '../harness/postgres.ts'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const one = { id: 'one', kind: 'set', vars: { n: '{{ webhook.body.n }}' } }

describe('a worker that stands still inside a transaction', { timeout: 60_000 }, () => {
  it.each([
    ['line-lock', 'the line of a flow', { concurrency: 1 }, [one]],
    ['key-lock', 'a key of a flow', {}, [{ id: 'count', kind: 'store', op: 'increment', key: 'n' }]],
  ])('with the lock "%s" keeps %s from nobody for long', async (lock, _name, trigger, steps) => {
    const url = await postgres.createEmpty()
    const proxy = await startCuttingProxy({ host: '127.0.0.1', port: postgres.port })
    const through = new URL(url)
    through.port = String(proxy.port)
    const cluster = await startCluster(url, { web: 1, workers: 0 })
    const [web] = cluster.web
    const folder = temporaryFolder()
    const frozen = await spawnMillrace(folder, await freePort(), {
      DATABASE_URL: through.href,
      MILLRACE_SECRET_KEY: TEST_KEY,
      MILLRACE_ROLE: 'worker',
    })
    const { post } = await web!.publish({ name: 'Locked', trigger: { kind: 'webhook', ...trigger }, steps })
    const locked = proxy.keepReplyTo((message) => message.includes(lock))
    const first = (await post({ n: 0 })).body.id as string
    await locked
    frozen.child.kill('SIGSTOP')
    expect(
      await query(
        url,
        `select 1 from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and granted and state = 'idle in transaction'`,
      ),
    ).toHaveLength(1)

    await cluster.add('worker')
    const ids = await Promise.all(Array.from({ length: 20 }, async (_, n) => (await post({ n })).body.id as string))
    for (const id of ids) expect((await web!.runEnded(id)).status).toBe('succeeded')

    // After it wakes, the worker works like any other.
    frozen.child.kill('SIGCONT')
    expect((await web!.runEnded(first)).status).toBe('succeeded')
    cluster.workers[0]!.child.kill('SIGTERM')
    expect(await cluster.workers[0]!.exited).toBe(0)
    const last = (await post({ n: 'last' })).body.id as string
    expect((await web!.runEnded(last)).status).toBe('succeeded')
    frozen.child.kill('SIGTERM')
    expect(await frozen.exited).toBe(0)
    expect(await cluster.stop()).toEqual([0])
    await proxy.close()
    rmSync(folder, { recursive: true, force: true })
  })
})
