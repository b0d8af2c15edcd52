// Tests PgBouncer between Millrace and PostgreSQL: with sessions it works; without them one line says what to do.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { callCli } from '../harness/cli.ts'
import { startCluster } from '../harness/cluster.ts'
import { freePort } from '../harness/free-port.ts'
import { spawnMillrace, TEST_KEY, temporaryFolder } from '../harness/millrace.ts'
import { NO_PGBOUNCER, startPgBouncer } from '../harness/pgbouncer.ts'
import { type PostgresServer, startPostgres } from '../harness/postgres.ts'

const ADVICE =
  'a pooler hands its sessions from client to client (pool_mode transaction or statement). Set pool_mode=session for this database in the pooler, or connect to PostgreSQL itself.'

describe.skipIf(NO_PGBOUNCER)(`PgBouncer${NO_PGBOUNCER ? ` (skipped: ${NO_PGBOUNCER})` : ''}`, () => {
  let postgres: PostgresServer
  let folder: string
  beforeAll(async () => {
    postgres = await startPostgres()
    folder = temporaryFolder()
  })
  afterAll(async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const flow = {
    name: 'Pooled',
    trigger: { kind: 'webhook', concurrency: 2 },
    steps: [{ id: 'count', kind: 'store', op: 'increment', key: 'n' }],
  }

  it('in session mode, with its default settings, carries everything', { timeout: 60_000 }, async () => {
    const pooler = await startPgBouncer(postgres.port, 'session')
    const cluster = await startCluster(pooler.urlOf(await postgres.createEmpty()), { web: 1, workers: 1 })
    const [web] = cluster.web
    const { post } = await web!.publish({ ...flow, trigger: { ...flow.trigger, response: { mode: 'finished' } } })
    const answers = await Promise.all(Array.from({ length: 20 }, () => post({})))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(await cluster.stop()).toEqual([0, 0])
    await pooler.stop()
  })

  it('in transaction mode is refused by the start, and found by the doctor, in one line', {
    timeout: 60_000,
  }, async () => {
    const pooler = await startPgBouncer(postgres.port, 'transaction')
    const environment = { DATABASE_URL: pooler.urlOf(await postgres.createEmpty()), MILLRACE_SECRET_KEY: TEST_KEY }
    const start = spawnMillrace(folder, await freePort(), environment)
    await expect(start).rejects.toThrow(`cannot be used: ${ADVICE} Nothing was changed.`)
    const doctor = await callCli(['doctor'], { env: { ...environment, MILLRACE_DATA_DIR: folder } })
    expect(doctor.stdout).toContain(ADVICE)
    await pooler.stop()
  })

  it('that comes back in transaction mode makes /readyz say so', {
    timeout: 60_000,
  }, async () => {
    const pooler = await startPgBouncer(postgres.port, 'session')
    const url = await postgres.createEmpty()
    const cluster = await startCluster(pooler.urlOf(url), { web: 1, workers: 1 })
    const [web] = cluster.web
    const { post } = await web!.publish(flow)
    expect((await post({})).status).toBe(200)
    await pooler.stop()
    const changed = await startPgBouncer(postgres.port, 'transaction', pooler.port)
    const answer = await vi.waitFor(
      async () => {
        // The load mixes up the sessions.
        await Promise.all(Array.from({ length: 20 }, () => post({})))
        const response = await fetch(`${web!.url}/readyz`)
        expect(response.status).toBe(503)
        return response.json()
      },
      { timeout: 40_000, interval: 200 },
    )
    expect(answer).toMatchObject({ message: `The database cannot be used: ${ADVICE}` })
    await changed.stop()
    for (const { child } of [...cluster.web, ...cluster.workers]) child.kill('SIGKILL')
    await cluster.stop()
  })
})
