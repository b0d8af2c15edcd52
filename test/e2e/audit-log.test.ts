// Tests the chain of the audit log, its exports, and what strangers leave in it.
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callCli } from '../harness/cli.ts'
import { type Millrace, startMillrace, TEST_KEY, TOKEN, temporaryFolder } from '../harness/millrace.ts'
import { type Databases, query, startDatabases } from '../harness/postgres.ts'

const document = (name: string) => ({ name, trigger: { kind: 'webhook' }, steps: [] })

interface Storage {
  environment: Record<string, string>
  change(statement: string): Promise<void>
  stop(): Promise<void>
}

const inSqlite = async (): Promise<Storage> => {
  const folder = temporaryFolder()
  return {
    environment: { MILLRACE_DATA_DIR: folder },
    async change(statement) {
      const db = new DatabaseSync(join(folder, 'millrace.db'), { timeout: 30_000 })
      db.exec(statement)
      db.close()
    },
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

const inPostgres = async (): Promise<Storage> => {
  const databases: Databases = await startDatabases()
  const url = await databases.create()
  const folder = temporaryFolder()
  return {
    environment: { DATABASE_URL: url, MILLRACE_SECRET_KEY: TEST_KEY, MILLRACE_DATA_DIR: folder },
    async change(statement) {
      await query(url, statement)
    },
    stop: () => databases.stop(),
  }
}

describe.each([
  ['SQLite', inSqlite],
  ['PostgreSQL', inPostgres],
])('the audit log on %s', (_name, open) => {
  let storage: Storage
  let millrace: Millrace
  const folder = temporaryFolder()
  beforeAll(async () => {
    storage = await open()
    millrace = await startMillrace(storage.environment)
    for (let i = 0; i < 5; i++) await millrace.api('POST', '/flows', document(`Flow "${i}"\n, ä`))
  })
  afterAll(async () => {
    await millrace.stop()
    await storage.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const verify = () => callCli(['audit', 'verify', '--json'], { env: storage.environment })

  it('is checked while the service runs, and after a restart', async () => {
    expect(await verify()).toMatchObject({ exit: 0 })
    await millrace.stop()
    const reset = await callCli(['users', 'break-glass', 'nobody@example.com'], { env: storage.environment })
    expect(reset.exit).toBe(3)
    millrace = await startMillrace(storage.environment)
    await millrace.api('POST', '/flows', document('After the restart'))
    const result = await verify()
    expect(result.exit).toBe(0)
    expect(result.json()).toMatchObject({ holds: true, unchained: 0 })
    expect(result.json().entries).toBeGreaterThanOrEqual(6)
  })

  it('is exported as lines that hold on their own', async () => {
    const file = join(folder, `audit-${_name}.jsonl`)
    const env = { MILLRACE_ADMIN_TOKEN: TOKEN }
    const exported = await callCli(['audit', 'export', file, '--server', millrace.url], { env })
    expect(exported).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^Wrote .*: \d+ entries\.\n$/) })
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    // As anybody can check it, with the words of the documentation.
    const last = new Map<string, string>()
    for (const line of lines) {
      const { chain, prev, hash } = JSON.parse(line)
      const text = line.replace(/,"hash":"[0-9a-f]{64}"\}$/, '}')
      expect(createHash('sha256').update(text).digest('hex')).toBe(hash)
      expect(prev).toBe(last.get(chain) ?? null)
      last.set(chain, hash)
    }
    expect(lines.map((line) => JSON.parse(line).action)).toContain('audit.export')
    expect(await callCli(['audit', 'verify', '--file', file])).toMatchObject({ exit: 0 })
    writeFileSync(file, lines.join('\n').replace('flow.create', 'flow.delete'))
    const broken = await callCli(['audit', 'verify', '--file', file])
    expect(broken).toMatchObject({ exit: 1, stderr: expect.stringContaining('it was changed: its hash does not fit') })
  })

  it('is exported for a time', async () => {
    const none = await millrace.api('GET', '/audit/export?since=2020-01-01&until=2021-01-01')
    expect(none.status).toBe(200)
    expect(none.headers.get('content-type')).toBe('application/x-ndjson')
    expect(none.body).toBe('')
    expect((await millrace.api('GET', '/audit/export?since=never')).status).toBe(400)
  })

  it('sums up tokens that are none, and names no token', async () => {
    const wrong = 'mr_wrong-token-that-nobody-has'
    await Promise.all(
      Array.from({ length: 20 }, () =>
        fetch(`${millrace.url}/api/v1/flows`, { headers: { authorization: `Bearer ${wrong}` } }),
      ),
    )
    // What was counted is written when the service stops.
    await millrace.stop()
    millrace = await startMillrace(storage.environment)
    const { items } = (await millrace.api('GET', '/audit?limit=200')).body
    const refused = items.filter(({ action }: { action: string }) => action === 'token.refused')
    expect(refused).toHaveLength(2)
    const counts = refused.map(({ details }: { details: { count: number } }) => details.count)
    expect(counts.reduce((sum: number, count: number) => sum + count)).toBe(20)
    expect(refused[0]).toMatchObject({ actor: 'nobody', details: { networks: 1, from: ['127.0.0.1'] } })
    expect(JSON.stringify(items)).not.toContain('wrong-token')
  })

  it('shows what was changed behind its back', async () => {
    await storage.change(`update audit set actor = 'somebody else' where action = 'audit.export'`)
    const broken = await callCli(['audit', 'verify'], { env: storage.environment })
    expect(broken.exit).toBe(1)
    expect(broken.stderr).toMatch(/chain (main|node_\w+), entry \d+, aud_\w+: it was changed: its hash does not fit/)
  })
})
