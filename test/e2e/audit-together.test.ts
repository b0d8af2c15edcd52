// Tests a database that accepts no entries of the audit log: an operation that needs one is not done.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Millrace, startMillrace, TEST_KEY, temporaryFolder } from '../harness/millrace.ts'
import { type Databases, query, startDatabases } from '../harness/postgres.ts'

interface Storage {
  environment: Record<string, string>
  /** Sets whether entries are accepted from now on. */
  takeEntries(taken: boolean): Promise<void>
  stop(): Promise<void>
}

const inSqlite = async (): Promise<Storage> => {
  const folder = temporaryFolder()
  return {
    environment: { MILLRACE_DATA_DIR: folder },
    async takeEntries(taken) {
      const db = new DatabaseSync(join(folder, 'millrace.db'), { timeout: 30_000 })
      db.exec(
        taken
          ? 'drop trigger refuse'
          : `create trigger refuse before insert on audit begin select raise(abort, 'refused'); end`,
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
    async takeEntries(taken) {
      await query(url, `alter table audit drop constraint if exists refuse`)
      if (!taken) await query(url, `alter table audit add constraint refuse check (false) not valid`)
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
  let calls: Record<string, Call>
  beforeAll(async () => {
    storage = await open()
    millrace = await startMillrace(storage.environment)
    const { api } = millrace
    const { flow, post } = await millrace.publish(documentOf('Live', [{ id: 'pause', kind: 'wait', seconds: 600 }]))
    const { id: run } = (await post({})).body
    await millrace.runEnded(run, ['waiting'])
    const draft = (await api('POST', '/flows', documentOf('Draft'))).body
    await api('POST', '/connections', token('kept'))
    const made = (await api('POST', '/tokens', { name: 'kept', scope: 'read' })).body
    const invitation = (await api('POST', '/invitations', { role: 'viewer' })).body
    calls = {
      'flow.create': ['POST', '/flows', documentOf('New')],
      'flow.update': ['PUT', `/flows/${draft.id}`, documentOf('Renamed')],
      'flow.publish': ['POST', `/flows/${draft.id}/publish`],
      'flow.unpublish': ['POST', `/flows/${flow.id}/unpublish`],
      'flow.pause': ['POST', `/flows/${flow.id}/pause`],
      'flow.resume': ['POST', `/flows/${flow.id}/resume`],
      'flow.restore': ['POST', `/flows/${flow.id}/versions/1/restore`],
      'flow.regenerate': ['POST', `/flows/${flow.id}/webhook/regenerate`],
      'connection.create': ['POST', '/connections', token('added')],
      'connection.update': ['PUT', '/connections/kept', { hosts: ['api.example.com'] }],
      'connection.delete': ['DELETE', '/connections/kept'],
      'token.create': ['POST', '/tokens', { name: 'added', scope: 'read' }],
      'token.revoke': ['DELETE', `/tokens/${made.id}`],
      'invitation.create': ['POST', '/invitations', { role: 'editor' }],
      'invitation.revoke': ['DELETE', `/invitations/${invitation.id}`],
      'run.replay': ['POST', `/runs/${run}/replay`, {}],
      'run.cancel': ['POST', `/runs/${run}/cancel`],
      'key.rotate': ['POST', '/keys/rotate'],
      'flow.delete': ['DELETE', `/flows/${flow.id}`],
    }
  })
  afterAll(async () => {
    await millrace.stop()
    await storage.stop()
  })

  const state = async () => {
    const lists = ['/flows', '/connections', '/tokens', '/invitations', '/runs', '/audit']
    const items = await Promise.all(lists.map(async (path) => (await millrace.api('GET', path)).body.items))
    // The time of a token's last use changes with every call.
    return JSON.parse(JSON.stringify(items, (key, value) => (key === 'lastUsedAt' ? undefined : value)))
  }

  it('neither in the database nor in memory', async () => {
    const { webhook } = (await millrace.api('GET', '/flows')).body.items.find(
      ({ name }: { name: string }) => name === 'Live',
    )
    const before = await state()
    await storage.takeEntries(false)
    for (const [action, call] of Object.entries(calls)) {
      const { status } = await millrace.api(...call)
      expect([action, status]).toEqual([action, 500])
      expect([action, await state()]).toEqual([action, before])
    }
    // The flow was not deleted, and so its route still works.
    const delivered = await fetch(`${millrace.url}/api/v1/webhooks/${webhook.id}`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    expect(delivered.status).toBe(200)
  })

  it('and with one all of it is', async () => {
    await storage.takeEntries(true)
    for (const [action, call] of Object.entries(calls)) {
      const { status } = await millrace.api(...call)
      expect([action, status < 300]).toEqual([action, true])
      const [latest] = (await millrace.api('GET', '/audit?limit=1')).body.items
      expect(latest.action).toBe(action)
    }
  })
})
