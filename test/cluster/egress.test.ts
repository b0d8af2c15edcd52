// Tests what flows may not reach if the data is on a PostgreSQL server.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { databaseEndpoint } from '../../src/storage/postgres/database.ts'
import { type Millrace, startMillrace, TEST_KEY } from '../harness/millrace.ts'
import { type Databases, startDatabases } from '../harness/postgres.ts'

let databases: Databases
let millrace: Millrace
let url: URL

beforeAll(async () => {
  databases = await startDatabases()
  url = new URL(await databases.create())
  millrace = await startMillrace({ DATABASE_URL: url.href, MILLRACE_SECRET_KEY: TEST_KEY })
})
afterAll(async () => {
  await millrace.stop()
  await databases.stop()
})

it('closes the port of the database to flows, by every name of its address', async () => {
  const call = { id: 'call', kind: 'http', method: 'GET', url: '{{ webhook.body.url }}' }
  const { post } = await millrace.publish({ name: 'Database', trigger: { kind: 'webhook' }, steps: [call] })
  for (const host of [url.hostname, '127.0.0.1', 'localhost', '127.0.0.2', '[::1]']) {
    const { id } = (await post({ url: `http://${host}:${url.port}/` })).body
    expect(await millrace.runEnded(id)).toMatchObject({ status: 'failed', error: { code: 'blocked_address' } })
  }
})

it.each([
  ['postgres://u:p@db.example.com/millrace', { host: 'db.example.com', port: 5432 }],
  ['postgres://u:p@db.example.com:6432/millrace', { host: 'db.example.com', port: 6432 }],
  [
    'postgres://u:p@db.example.com/millrace?host=other.example.com&port=7000',
    { host: 'other.example.com', port: 7000 },
  ],
  ['postgres:///millrace?host=/var/run/postgresql', null],
])('knows where %s listens', (given, endpoint) => {
  expect(databaseEndpoint(given)).toEqual(endpoint)
})
