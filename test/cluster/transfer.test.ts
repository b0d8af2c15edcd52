// Tests the move from the embedded database to PostgreSQL with runs under way: they continue, and all data is there.
import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCluster } from '../harness/cluster.ts'
import { ENTRY } from '../harness/entry.ts'
import { childEnvironment } from '../harness/environment.ts'
import { freePort } from '../harness/free-port.ts'
import { startGate } from '../harness/gate.ts'
import { createClient, spawnMillrace, temporaryFolder } from '../harness/millrace.ts'
import { type Databases, query, startDatabases } from '../harness/postgres.ts'
import { startUpstream } from '../harness/upstream.ts'

let databases: Databases
const folder = temporaryFolder()
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await databases.stop()
})

const millrace = (environment: Record<string, string>, ...args: string[]): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [ENTRY, ...args], {
    env: childEnvironment({ NO_COLOR: '1', ...environment }),
    encoding: 'utf8',
  })

describe('millrace transfer', { timeout: 180_000 }, () => {
  it('moves flows, secrets, keys, tokens and every run, those under way included', async () => {
    const gate = await startGate()
    const upstream = await startUpstream()
    const environment = { MILLRACE_ENV_GATE: gate.url, MILLRACE_ENV_UP: upstream.url }
    const before = await spawnMillrace(folder, await freePort(), environment)
    const held = { id: 'held', kind: 'http', method: 'GET', url: '{{ env.GATE }}/{{ webhook.body.n }}', timeout: 120 }
    const said = { id: 'said', kind: 'http', method: 'GET', url: '{{ env.UP }}/{{ webhook.body.n }}' }
    const flowOf = (steps: object[], trigger: object = {}) => ({
      name: 'Moved',
      trigger: { kind: 'webhook', ...trigger },
      steps,
    })
    const waiting = await before.publish(flowOf([{ id: 'pause', kind: 'wait', seconds: 15 }, said]))
    const limited = await before.publish(flowOf([said, held], { concurrency: 1 }))
    const keyed = await before.publish(
      flowOf([{ id: 'count', kind: 'store', op: 'increment', key: 'n' }], {
        dedupe: { key: '{{ webhook.body.id }}', window: 3600 },
        response: { mode: 'finished', body: '{{ steps.count.value }}' },
      }),
    )
    const secret = 'transferred-secret-literal'
    const guarded = await before.publish(flowOf([], { auth: { kind: 'header', name: 'X-Key', value: secret } }))
    const { token } = (await before.api('POST', '/tokens', { name: 'script', scope: 'read' })).body
    await before.api('POST', '/connections', { name: 'shop', kind: 'bearer', fields: { token: 'shop-secret-token' } })

    const taking = await before.publish(flowOf([], { accept: ['application/pdf'] }))
    const content = randomBytes(600_000)
    const uploaded = await fetch(taking.flow.webhook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/pdf' },
      body: content,
    })
    const withFile = await before.runEnded(((await uploaded.json()) as { id: string }).id)

    const waits = (await waiting.post({ n: 'waited', text: 'é \u0000 𝄞' })).body.id
    const [first, second, third] = [1, 2, 3].map((n) => ({ n: `line-${n}` }))
    const inLine = [(await limited.post(first)).body.id]
    await gate.count(1)
    inLine.push((await limited.post(second)).body.id, (await limited.post(third)).body.id)
    expect((await keyed.post({ id: 'once' })).body).toBe(1)
    await before.runEnded(waits, ['waiting'])
    const finished = (await before.api('GET', `/runs?flow=${keyed.flow.id}`)).body.items[0].id

    const url = await databases.createEmpty()
    const inUse = millrace({ DATABASE_URL: url, MILLRACE_DATA_DIR: folder }, 'transfer')
    expect(inUse.status).toBe(1)
    expect(inUse.stderr).toContain('another Millrace process is using it')
    before.child.kill('SIGKILL')
    await before.exited

    const database = join(folder, 'millrace.db')
    const moved = millrace({ DATABASE_URL: url, MILLRACE_DATA_DIR: folder }, 'transfer')
    expect(moved.stderr).toContain('secret.key')
    expect([moved.status, moved.stdout]).toEqual([
      0,
      expect.stringMatching(/^\d+ rows of \d+ tables are in PostgreSQL, and 1 file of 0.6 MiB\.$/m),
    ])
    expect(statSync(database).size).toBeGreaterThan(0)
    const again = millrace({ DATABASE_URL: url, MILLRACE_DATA_DIR: folder }, 'transfer')
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('is not empty')])

    const key = readFileSync(join(folder, 'secret.key'), 'utf8').trim()
    const cluster = await startCluster(url, { web: 1, workers: 2 }, { ...environment, MILLRACE_SECRET_KEY: key })
    const web = cluster.web[0]!
    const post = async (webhookId: string, body: object, headers: Record<string, string> = {}) =>
      fetch(`${web.url}/api/v1/webhooks/${webhookId}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })

    // Requests in flight are sent again, one at a time, in order.
    await gate.count(2)
    expect(gate.received.map(({ url: path }) => path)).toEqual(['/line-1', '/line-1'])
    gate.open()
    for (const id of inLine) expect((await web.runEnded(id)).status).toBe('succeeded')
    expect(gate.received.map(({ url: path }) => path)).toEqual(['/line-1', '/line-1', '/line-2', '/line-3'])
    const waited = await web.runEnded(waits)
    expect(waited.status).toBe('succeeded')
    expect((waited.webhook.body as { text: string }).text).toBe('é \u0000 𝄞')
    // Requests whose outcome is in the journal are not sent again.
    expect(upstream.received.map(({ url: path }) => path).toSorted()).toEqual([
      '/line-1',
      '/line-2',
      '/line-3',
      '/waited',
    ])

    const duplicate = await post(keyed.flow.webhook.id, { id: 'once' })
    expect(await duplicate.json()).toMatchObject({ id: finished })
    expect(await (await post(keyed.flow.webhook.id, { id: 'other' })).json()).toBe(2)
    expect((await post(guarded.flow.webhook.id, {}, { 'X-Key': secret })).status).toBe(200)
    expect((await post(guarded.flow.webhook.id, {}, { 'X-Key': 'another' })).status).toBe(401)
    const withToken = await fetch(`${web.url}/api/v1/flows`, { headers: { authorization: `Bearer ${token}` } })
    expect(withToken.status).toBe(200)
    expect((await createClient(web.url).api('GET', '/connections/shop')).body.secretFields).toEqual(['token'])

    const file = await fetch(`${web.url}/api/v1/files/${withFile.webhook.file!.file}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(Buffer.from(await file.arrayBuffer()).equals(content)).toBe(true)

    // What was counted before the move counts on.
    const { totals } = (await web.api('GET', `/stats?flow=${keyed.flow.id}`)).body
    expect(totals.deliveries).toEqual({ accepted: 2, duplicate: 1, filtered: 0, rejected: 0 })
    expect(totals.runs).toEqual({ started: 2, succeeded: 2, failed: 0, cancelled: 0 })

    expect(await cluster.stop()).toEqual([0, 0, 0])
    await gate.close()
    await upstream.close()
  })

  it('asks for a database to move to, and for a folder to move from', () => {
    const without = millrace({ MILLRACE_DATA_DIR: folder }, 'transfer')
    expect([without.status, without.stderr]).toEqual([2, expect.stringContaining('Set DATABASE_URL')])
    const nothing = millrace({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x', MILLRACE_DATA_DIR: '/nowhere' }, 'transfer')
    expect([nothing.status, nothing.stderr]).toEqual([1, expect.stringContaining('There is no database in /nowhere')])
  })
})

describe('millrace migrate', { timeout: 60_000 }, () => {
  it('makes the schema, and is content with one that is there', async () => {
    const url = await databases.createEmpty()
    for (let i = 0; i < 2; i++) {
      const out = execFileSync(process.execPath, [ENTRY, 'migrate'], {
        env: childEnvironment({ DATABASE_URL: url }),
        encoding: 'utf8',
      })
      expect(out).toContain('is up to date')
    }
    expect((await query(url, 'select count(*)::int as n from kysely_migration'))[0].n).toBeGreaterThan(5)
  })

  it('refuses a schema that is newer, and so does a start', async () => {
    const url = await databases.createEmpty()
    expect(millrace({ DATABASE_URL: url }, 'migrate').status).toBe(0)
    await query(url, `insert into kysely_migration (name, timestamp) values ('999-future', '2030-01-01')`)
    for (const command of ['migrate', 'serve']) {
      const refused = millrace({ DATABASE_URL: url, MILLRACE_PORT: '1' }, command)
      expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('newer version of Millrace')])
    }
  })

  it('says that a key is missing where every process needs the same one', async () => {
    const url = await databases.createEmpty()
    const refused = millrace({ DATABASE_URL: url, MILLRACE_DATA_DIR: temporaryFolder() }, 'serve')
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('MILLRACE_SECRET_KEY is not set')])
  })
})
