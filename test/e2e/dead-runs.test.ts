// A run that Millrace itself cannot carry on, because its sealed data was tampered with, ends; on both databases.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Millrace, startMillrace, TEST_KEY } from '../harness/millrace.ts'
import { type Databases, startDatabases } from '../harness/postgres.ts'

const SECRET = 'a-secret-of-the-environment'
const SETTINGS = { MILLRACE_ENV_KEY: SECRET, MILLRACE_GIVE_UP_AFTER: '0.4' }
const TAMPER = (id: string) =>
  `update run set sealed = substr(sealed, 1, length(sealed) - 8) || 'AAAAAAAA' where id = '${id}'`

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.stop())

const onSqlite = async () => {
  const millrace = await startMillrace(SETTINGS)
  const execute = async (statement: string) => {
    const raw = new DatabaseSync(join(millrace.dataDir, 'millrace.db'))
    raw.exec(statement)
    raw.close()
  }
  return { millrace, execute }
}
const onPostgres = async () => {
  const url = await databases.create()
  const millrace = await startMillrace({ ...SETTINGS, DATABASE_URL: url, MILLRACE_SECRET_KEY: TEST_KEY })
  const execute = async (statement: string) => {
    const client = new pg.Client(url)
    await client.connect()
    await client.query(statement)
    await client.end()
  }
  return { millrace, execute }
}

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
])('on %s', (_name, open) => {
  let millrace: Millrace
  let execute: (statement: string) => Promise<void>
  beforeAll(async () => {
    const opened = await open()
    millrace = opened.millrace
    execute = opened.execute
  })
  afterAll(() => millrace.stop())

  it('a run whose data was tampered with fails after five attempts, and keeps nobody waiting', async () => {
    const { post, flow } = await millrace.publish({
      name: 'Dead',
      trigger: { kind: 'webhook', concurrency: 1 },
      steps: [
        // Long enough for the data to be changed meanwhile, on a slow machine too.
        { id: 'pause', kind: 'wait', seconds: 4 },
        { id: 'use', kind: 'set', vars: { key: '{{ env.KEY }}', n: '{{ webhook.body.n }}' } },
      ],
    })
    const dead = (await post({ n: 1, said: SECRET })).body.id
    const next = (await post({ n: 2, said: SECRET })).body.id
    await millrace.runEnded(dead, ['waiting'])
    await execute(TAMPER(dead))
    expect(await millrace.runEnded(dead)).toMatchObject({
      status: 'failed',
      error: { code: 'internal_error', message: expect.stringMatching(/gave it up/) },
    })
    // Its place in the flow goes to the next run, which is whole.
    expect(await millrace.runEnded(next)).toMatchObject({ status: 'succeeded', vars: { n: 2 } })
    const tries = millrace
      .log()
      .split('\n')
      .filter((line) => line.includes('a run could not be carried on'))
    expect(tries).toHaveLength(5)
    const { totals } = (await millrace.api('GET', `/stats?flow=${flow.id}`)).body
    expect(totals.runs).toMatchObject({ succeeded: 1, failed: 1 })
  })
})
