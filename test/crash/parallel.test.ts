// Tests kill -9 while branches run side by side, on both databases: only what was in flight is repeated, and every run ends.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { spawnMillrace, TEST_KEY, temporaryFolder } from '../harness/millrace.ts'
import { type Databases, startDatabases } from '../harness/postgres.ts'
import { startUpstream } from '../harness/upstream.ts'

const RUNS = 12
const BRANCHES = ['a', 'b', 'c']

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
}, 60_000)
afterAll(() => databases.stop(), 60_000)

const call = (id: string) => ({
  id,
  kind: 'http',
  method: 'POST',
  url: `{{ env.UP }}/${id}`,
  body: { kind: 'json', value: { n: '{{ webhook.body.n }}' } },
})
const branch = (name: string) => ({
  name,
  steps: [call(`${name}1`), { id: `${name}_count`, kind: 'store', op: 'increment', key: name }, call(`${name}2`)],
})

describe.each([
  ['SQLite', 4],
  ['PostgreSQL', 2],
] as const)('kill -9 of branches side by side on %s', (database, kills) => {
  it('repeats only what was in flight, and ends every run', { timeout: 240_000 }, async () => {
    const upstream = await startUpstream((_request, response) => void setTimeout(() => response.end('{}'), 20))
    const dataDir = temporaryFolder()
    const env: Record<string, string> = { MILLRACE_ENV_UP: upstream.url }
    if (database === 'PostgreSQL') {
      env['DATABASE_URL'] = await databases.create()
      env['MILLRACE_SECRET_KEY'] = TEST_KEY
    }
    const start = async () => spawnMillrace(dataDir, await freePort(), env)
    let server = await start()
    const { post } = await server.publish({
      name: 'Side by side',
      trigger: { kind: 'webhook', concurrency: 2 },
      steps: [
        { id: 'p', kind: 'parallel', branches: BRANCHES.map(branch) },
        { id: 'after', kind: 'set', vars: { counts: BRANCHES.map((name) => `{{ steps.${name}_count.value }}`) } },
      ],
    })
    const ids: string[] = []
    for (let n = 0; n < RUNS; n++) ids.push((await post({ n })).body.id)
    for (let kill = 0; kill < kills; kill++) {
      await upstream.count(upstream.received.length + 7)
      server.child.kill('SIGKILL')
      expect(await server.exited).toBe('SIGKILL')
      server = await start()
    }
    for (const id of ids) {
      const run = await server.runEnded(id)
      expect(run).toMatchObject({ status: 'succeeded' })
      expect(run.steps.filter(({ status }) => status !== 'succeeded')).toEqual([])
      expect(run.steps.find(({ id: step }) => step === 'p')!.output).toEqual({ finished: BRANCHES, errors: [] })
    }
    // The counters were raised once per run, whatever was killed.
    const last = await Promise.all(ids.map((id) => server.run(id)))
    for (const index of BRANCHES.keys())
      expect(Math.max(...last.map(({ vars }) => (vars['counts'] as number[])[index]!))).toBe(RUNS)
    // Once the second request of a branch has left, the first is in the journal and is never sent again.
    for (const name of BRANCHES) {
      const done = new Set<string>()
      for (const { url, body } of upstream.received) {
        if (url === `/${name}2`) done.add(body)
        expect(url === `/${name}1` && done.has(body)).toBe(false)
      }
      expect(done.size).toBe(RUNS)
    }
    server.child.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    await upstream.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
})
