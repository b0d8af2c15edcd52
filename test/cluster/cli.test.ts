// Tests the command line on PostgreSQL: directly on the database, beside the server that uses it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callCli } from '../harness/cli.ts'
import { freePort } from '../harness/free-port.ts'
import { documentOf } from '../harness/management.ts'
import { type Millrace, startMillrace, TEST_KEY, TOKEN, temporaryFolder } from '../harness/millrace.ts'
import { type Databases, startDatabases } from '../harness/postgres.ts'

let databases: Databases
let millrace: Millrace
let env: Record<string, string>
const folder = temporaryFolder()

beforeAll(async () => {
  databases = await startDatabases()
  const port = String(await freePort())
  const shared = { DATABASE_URL: await databases.create(), MILLRACE_SECRET_KEY: TEST_KEY, MILLRACE_PORT: port }
  millrace = await startMillrace({ ...shared, MILLRACE_DATA_DIR: join(folder, 'not-needed') })
  env = { ...shared, MILLRACE_ROLE: 'worker' }
})
afterAll(async () => {
  await millrace.stop()
  await databases.stop()
  rmSync(folder, { recursive: true })
})

describe('the command line on PostgreSQL', () => {
  it('works on the database without a token, and the server knows at once', async () => {
    const document = documentOf([{ id: 'greet', kind: 'set', vars: { greeting: 'Hello' } }], {}, 'Shared')
    const { id, webhook } = (await millrace.api('POST', '/flows', document)).body
    expect((await callCli(['flows', 'list', '--json'], { env })).json().items).toMatchObject([{ id }])
    expect(await callCli(['flows', 'publish', 'Shared'], { env })).toMatchObject({ exit: 0 })
    const sent = await fetch(`${millrace.url}/api/v1/webhooks/${webhook.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(sent.status).toBe(200)
    // The server runs the run that the command accepted.
    const taken = (await callCli(['send', 'Shared', '--data', '{}', '--json'], { env })).json()
    expect((await millrace.runEnded(taken.body.id)).vars).toEqual({ greeting: 'Hello' })
  })

  it('leaves backups to the database, and follows no runs', async () => {
    const backup = await callCli(['backup', join(folder, 'x.db')], { env })
    expect(backup).toMatchObject({ exit: 4, stderr: expect.stringContaining('pg_dump') })
    expect(await callCli(['runs', 'tail'], { env })).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('--server'),
    })
  })

  it('is looked at by the doctor, with the server at its base URL', async () => {
    const { exit, json } = await callCli(['doctor', '--json'], { env: { ...env, MILLRACE_ADMIN_TOKEN: TOKEN } })
    const states = json().checks.map(({ check, state }: { check: string; state: string }) => `${state} ${check}`)
    expect(states).toEqual([
      'ok configuration',
      'ok variables',
      'ok key',
      'ok files',
      'ok server',
      'ok clock',
      'ok version',
      'ok token',
      'ok base URL',
      'warning egress',
    ])
    expect(exit).toBe(0)
    const other = { ...env, MILLRACE_SECRET_KEY: Buffer.alloc(32, 9).toString('base64') }
    expect((await callCli(['doctor', '--json'], { env: other })).json().checks).toContainEqual(
      expect.objectContaining({ check: 'key', state: 'failed' }),
    )
  })
})
