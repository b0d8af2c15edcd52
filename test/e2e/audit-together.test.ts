// Tests a database that accepts no entries of the audit log: an operation that needs one is not done. And the other way round: one
// that accepts no runs and no samples leaves no entry of what was not done.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Millrace, startMillrace, TEST_KEY, temporaryFolder } from '../harness/millrace.ts'
import { type Databases, query, startDatabases } from '../harness/postgres.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

interface Storage {
  environment: Record<string, string>
  /** Sets whether a table accepts rows, or changes of rows, from now on. */
  take(table: string, change: 'insert' | 'update', taken: boolean): Promise<void>
  stop(): Promise<void>
}

const inSqlite = async (): Promise<Storage> => {
  const folder = temporaryFolder()
  return {
    environment: { MILLRACE_DATA_DIR: folder },
    async take(table, change, taken) {
      const db = new DatabaseSync(join(folder, 'millrace.db'), { timeout: 30_000 })
      db.exec(
        taken
          ? `drop trigger refuse_${table}`
          : `create trigger refuse_${table} before ${change} on ${table} begin select raise(abort, 'refused'); end`,
      )
      db.close()
    },
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

const inPostgres = async (): Promise<Storage> => {
  const databases: Databases = await startDatabases()
  const url = await databases.create()
  return {
    environment: { DATABASE_URL: url, MILLRACE_SECRET_KEY: TEST_KEY },
    async take(table, change, taken) {
      if (taken) return void (await query(url, `drop trigger refuse on ${table}`))
      await query(
        url,
        `create or replace function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
      )
      await query(url, `create trigger refuse before ${change} on ${table} for each row execute function refuse()`)
    },
    stop: () => databases.stop(),
  }
}

const documentOf = (name: string, steps: object[] = []) => ({ name, trigger: { kind: 'webhook' }, steps })
const token = (name: string) => ({ name, kind: 'bearer', fields: { token: 'secret-token-value' } })
type Call = [method: string, path: string, body?: unknown]

describe.each([
  ['SQLite', inSqlite],
  ['PostgreSQL', inPostgres],
])('without an entry in the audit log nothing is done on %s', (_name, open) => {
  let storage: Storage
  let millrace: Millrace
  let upstream: Upstream
  /** Flows whose samples are looked at. */
  let flows: string[]
  let calls: [action: string, call: Call][]
  /** Those whose deed is a row of a table, or a change of one. */
  let stored: { table: string; change: 'insert' | 'update'; calls: typeof calls }[]
  beforeAll(async () => {
    storage = await open()
    upstream = await startUpstream()
    millrace = await startMillrace({ ...storage.environment, MILLRACE_ENV_KEY: 'a-secret-of-the-environment' })
    const { api } = millrace
    const { flow, post } = await millrace.publish(documentOf('Live', [{ id: 'pause', kind: 'wait', seconds: 600 }]))
    const { id: run } = (await post({})).body
    await millrace.runEnded(run, ['waiting'])
    const { flow: asked } = await millrace.publish({ name: 'Asked', trigger: { kind: 'call' }, steps: [] })
    const guarded = await millrace.publish({
      name: 'Guarded',
      trigger: {
        kind: 'webhook',
        inbox: { keepRejected: true },
        auth: { kind: 'header', name: 'X-Key', value: '{{ env.KEY }}' },
      },
      steps: [],
    })
    const signed = await millrace.publish({
      name: 'Signed',
      trigger: { kind: 'webhook', sender: { name: 'stripe', secret: '{{ env.KEY }}' } },
      steps: [],
    })
    expect((await guarded.post({ n: 1 }, { 'x-key': 'wrong' })).status).toBe(401)
    const rejected = (await api('GET', `/flows/${guarded.flow.id}/deliveries`)).body.items[0].id
    const stepped = (
      await api(
        'POST',
        '/flows',
        documentOf('Stepped', [{ id: 'send', kind: 'http', method: 'GET', url: upstream.url }]),
      )
    ).body
    flows = [flow.id, guarded.flow.id, signed.flow.id]
    const draft = (await api('POST', '/flows', documentOf('Draft'))).body
    await api('POST', '/connections', token('kept'))
    const made = (await api('POST', '/tokens', { name: 'kept', scope: 'read' })).body
    const invitation = (await api('POST', '/invitations', { role: 'viewer' })).body
    const starts: typeof calls = [
      ['flow.run', ['POST', `/flows/${asked.id}/runs`, {}]],
      ['flow.run', ['POST', `/flows/${signed.flow.id}/send-sample`, { test: false }]],
      ['flow.test', ['POST', `/flows/${flow.id}/test`, {}]],
      ['delivery.admit', ['POST', `/flows/${guarded.flow.id}/deliveries/${rejected}/admit`]],
      ['run.replay', ['POST', `/runs/${run}/replay`, {}]],
      ['run.replay', ['POST', `/runs/${run}/replay`, { from: 'pause' }]],
    ]
    const samples: typeof calls = [
      ['flow.sample', ['POST', `/flows/${guarded.flow.id}/samples`, { delivery: rejected }]],
      ['flow.sample', ['POST', `/flows/${signed.flow.id}/send-sample`, {}]],
    ]
    const cancels: typeof calls = [
      ['run.cancel', ['POST', `/runs/${run}/cancel`]],
      ['run.cancel_many', ['POST', '/runs/cancel', { filter: { flow: flow.id } }]],
    ]
    calls = [
      ['flow.create', ['POST', '/flows', documentOf('New')]],
      ['flow.update', ['PUT', `/flows/${draft.id}`, documentOf('Renamed')]],
      ['flow.publish', ['POST', `/flows/${draft.id}/publish`]],
      ['flow.unpublish', ['POST', `/flows/${flow.id}/unpublish`]],
      ['flow.pause', ['POST', `/flows/${flow.id}/pause`]],
      ['flow.resume', ['POST', `/flows/${flow.id}/resume`]],
      ['flow.restore', ['POST', `/flows/${flow.id}/versions/1/restore`]],
      ['flow.regenerate', ['POST', `/flows/${flow.id}/webhook/regenerate`]],
      ['flow.test_step', ['POST', `/flows/${stepped.id}/steps/send/test`, {}]],
      ['connection.create', ['POST', '/connections', token('added')]],
      ['connection.update', ['PUT', '/connections/kept', { hosts: ['api.example.com'] }]],
      ['connection.delete', ['DELETE', '/connections/kept']],
      ['token.create', ['POST', '/tokens', { name: 'added', scope: 'read' }]],
      ['token.revoke', ['DELETE', `/tokens/${made.id}`]],
      ['invitation.create', ['POST', '/invitations', { role: 'editor' }]],
      ['invitation.revoke', ['DELETE', `/invitations/${invitation.id}`]],
      ...starts,
      ...samples,
      ...cancels,
      ['key.rotate', ['POST', '/keys/rotate']],
      ['flow.delete', ['DELETE', `/flows/${flow.id}`]],
    ]
    stored = [
      { table: 'run', change: 'insert', calls: starts },
      { table: 'sample', change: 'insert', calls: samples },
      { table: 'run', change: 'update', calls: cancels },
    ]
  })
  afterAll(async () => {
    await millrace.stop()
    await upstream.close()
    await storage.stop()
  })

  const state = async () => {
    const samples = flows.map((id) => `/flows/${id}/samples`)
    const lists = ['/flows', '/connections', '/tokens', '/invitations', '/runs', '/audit', ...samples]
    const items = await Promise.all(lists.map(async (path) => (await millrace.api('GET', path)).body.items))
    // The time of a token's last use changes with every call.
    return JSON.parse(JSON.stringify(items, (key, value) => (key === 'lastUsedAt' ? undefined : value)))
  }

  it('neither in the database nor in memory', async () => {
    const { webhook } = (await millrace.api('GET', '/flows')).body.items.find(
      ({ name }: { name: string }) => name === 'Live',
    )
    const before = await state()
    await storage.take('audit', 'insert', false)
    for (const [action, call] of calls) {
      const { status } = await millrace.api(...call)
      expect([action, status]).toEqual([action, 500])
      expect([action, await state()]).toEqual([action, before])
    }
    await storage.take('audit', 'insert', true)
    // A test of a step does not get as far as its request.
    expect(upstream.received).toEqual([])
    // The flow was not deleted, and so its route still works.
    const delivered = await fetch(`${millrace.url}/api/v1/webhooks/${webhook.id}`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    expect(delivered.status).toBe(200)
    await millrace.runEnded(((await delivered.json()) as { id: string }).id, ['waiting'])
  })

  it('nor is there an entry of what the database does not take', async () => {
    const before = await state()
    for (const { table, change, calls: refused } of stored) {
      await storage.take(table, change, false)
      for (const [action, call] of refused) {
        const { status } = await millrace.api(...call)
        expect([action, status]).toEqual([action, 500])
        expect([action, await state()]).toEqual([action, before])
      }
      await storage.take(table, change, true)
    }
  })

  it('and with one all of it is', async () => {
    for (const [action, call] of calls) {
      const { status } = await millrace.api(...call)
      expect([action, status < 300]).toEqual([action, true])
      const [latest] = (await millrace.api('GET', '/audit?limit=1')).body.items
      expect(latest.action).toBe(action)
    }
  })
})
