// Tests faults around a running process: a stop, a full disk, a damaged folder, a wrong setting.
import { execFileSync } from 'node:child_process'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ENTRY } from '../harness/entry.ts'
import { childEnvironment } from '../harness/environment.ts'
import { freePort } from '../harness/free-port.ts'
import { spawnMillrace, temporaryFolder } from '../harness/millrace.ts'
import { scrape } from '../harness/scrape.ts'
import { startUpstream } from '../harness/upstream.ts'

const folders: string[] = []
const folder = () => {
  const made = temporaryFolder()
  folders.push(made)
  return made
}
afterAll(() => {
  for (const made of folders) rmSync(made, { recursive: true, force: true })
})

const callUpstream = {
  name: 'Call',
  trigger: { kind: 'webhook' },
  steps: [
    { id: 'before', kind: 'set', vars: { id: '{{ webhook.body.id }}' } },
    {
      id: 'call',
      kind: 'http',
      method: 'POST',
      url: '{{ env.UPSTREAM }}',
      body: { kind: 'json', value: '{{ webhook.body }}' },
    },
  ],
}

describe('SIGTERM', () => {
  it('exits 0 within 10 s although a request hangs, and the run is carried on at the next start', {
    timeout: 60_000,
  }, async () => {
    let hang = true
    const upstream = await startUpstream((_request, response) => {
      if (!hang) response.end('{}')
    })
    const dataDir = folder()
    const port = await freePort()
    const environment = { MILLRACE_ENV_UPSTREAM: upstream.url }
    const first = await spawnMillrace(dataDir, port, environment)
    const { post } = await first.publish(callUpstream)
    const runId = (await post({ id: 1 })).body.id
    await upstream.count(1)
    const told = performance.now()
    first.child.kill('SIGTERM')
    expect(await first.exited).toBe(0)
    expect(performance.now() - told).toBeLessThan(10_000)

    hang = false
    const second = await spawnMillrace(dataDir, port, environment)
    const run = await second.runEnded(runId)
    expect(run.status).toBe('succeeded')
    expect(run.steps.map((step) => [step.path, step.status])).toEqual([
      ['before', 'succeeded'],
      ['call', 'succeeded'],
    ])
    expect(upstream.received).toHaveLength(2)
    second.child.kill('SIGTERM')
    expect(await second.exited).toBe(0)
    await upstream.close()
  })

  it('answers who is waiting before it exits', { timeout: 60_000 }, async () => {
    const upstream = await startUpstream(() => {})
    const millrace = await spawnMillrace(folder(), await freePort(), { MILLRACE_ENV_UPSTREAM: upstream.url })
    const { post } = await millrace.publish({
      ...callUpstream,
      trigger: { kind: 'webhook', response: { mode: 'finished' } },
    })
    const answer = post({ id: 1 })
    await upstream.count(1)
    millrace.child.kill('SIGTERM')
    expect(await answer).toMatchObject({ status: 202, body: { status: 'accepted', message: 'Still running' } })
    expect(await millrace.exited).toBe(0)
    await upstream.close()
  })
})

describe('a full disk', () => {
  it('turns deliveries away with 503, never with 2xx, and keeps every one it acknowledged', {
    timeout: 60_000,
  }, async () => {
    const upstream = await startUpstream()
    const dataDir = folder()
    const port = await freePort()
    const environment = { MILLRACE_ENV_UPSTREAM: upstream.url }
    // The limit is in blocks of 512 bytes: no file may grow past 4 MB.
    const limited = await spawnMillrace(dataDir, port, { ...environment, TEST_FILE_BLOCKS: '8000' })
    const { flow, post } = await limited.publish(callUpstream)
    const acknowledged: string[] = []
    const filler = 'x'.repeat(20_000)
    let refused = 0
    for (let i = 0; refused < 5; i++) {
      const answer = await post({ id: i, filler })
      if (answer.status === 200) acknowledged.push(answer.body.id)
      else {
        expect(answer).toMatchObject({ status: 503, body: { status: 'error', code: 'unavailable' } })
        expect(answer.headers.get('retry-after')).toBeTruthy()
        refused++
      }
      expect(i).toBeLessThan(2000)
    }
    expect(acknowledged.length).toBeGreaterThan(10)
    expect((await scrape(limited)).get('millrace_deliveries_total{outcome="failed",code="unavailable"}')).toBe(refused)
    limited.child.kill('SIGKILL')
    await limited.exited

    const healthy = await spawnMillrace(dataDir, port, environment)
    for (const id of acknowledged) expect((await healthy.runEnded(id)).status).toBe('succeeded')
    const listed: string[] = []
    for (let cursor = ''; ; ) {
      const { items, nextCursor } = (await healthy.api('GET', `/runs?flow=${flow.id}&limit=200${cursor}`)).body
      listed.push(...items.map((run: { id: string }) => run.id))
      if (!nextCursor) break
      cursor = `&cursor=${nextCursor}`
    }
    expect(acknowledged.filter((id) => !listed.includes(id))).toEqual([])
    healthy.child.kill('SIGTERM')
    expect(await healthy.exited).toBe(0)
    await upstream.close()
  })
})

describe('a disk that has become full', () => {
  it('is told by /readyz until there is room, and nothing is done without its entry in the audit log', {
    timeout: 60_000,
  }, async () => {
    const dataDir = folder()
    const port = await freePort()
    const limited = await spawnMillrace(dataDir, port, { TEST_FILE_BLOCKS: '8000' })
    const ready = async () => {
      const response = await fetch(`${limited.url}/readyz`)
      return { status: response.status, body: await response.json() }
    }
    const { post } = await limited.publish({ name: 'Filled', trigger: { kind: 'webhook' }, steps: [] })
    expect((await ready()).status).toBe(200)
    const filler = 'x'.repeat(20_000)
    while ((await post({ filler })).status === 200);
    expect(await ready()).toMatchObject({
      status: 503,
      body: { code: 'unavailable', message: expect.stringContaining('The database cannot be written: its disk is') },
    })

    for (let refused = 0; refused < 3; ) {
      const { status } = await limited.api('POST', '/flows', {
        name: 'One more',
        trigger: { kind: 'webhook' },
        steps: [],
      })
      if (status !== 201) refused++
      expect([201, 503]).toContain(status)
    }
    limited.child.kill('SIGKILL')
    await limited.exited

    const healthy = await spawnMillrace(dataDir, port)
    expect((await fetch(`${healthy.url}/readyz`)).status).toBe(200)
    const all = async (path: string) => (await healthy.api('GET', `${path}?limit=200`)).body.items
    const made = (await all('/audit')).filter(({ action }: { action: string }) => action === 'flow.create')
    const idsOf = (items: { id: string }[]) => items.map(({ id }) => id).toSorted()
    expect(idsOf(made.map(({ target }: { target: { id: string } }) => target))).toEqual(idsOf(await all('/flows')))
    healthy.child.kill('SIGTERM')
    expect(await healthy.exited).toBe(0)
  })
})

describe('a start that cannot succeed', () => {
  const start = async (dataDir: string, environment: Record<string, string>) =>
    spawnMillrace(dataDir, await freePort(), environment).then(
      () => 'it started',
      (error: Error) => error.message,
    )

  it('names the folder of a damaged database, and leaves it as it is', async () => {
    const dataDir = folder()
    writeFileSync(join(dataDir, 'millrace.db'), 'this is no database, but it was here first')
    const before = statSync(join(dataDir, 'millrace.db'))
    expect(await start(dataDir, {})).toContain(`The database in ${dataDir} cannot be used`)
    expect(statSync(join(dataDir, 'millrace.db'))).toMatchObject({ size: before.size, mtimeMs: before.mtimeMs })
  })

  it('names the folder that cannot be written', async () => {
    const file = join(folder(), 'a-file')
    writeFileSync(file, '')
    expect(await start(file, {})).toContain(file)
  })

  it('says in one line which setting is wrong', async () => {
    const message = await start(folder(), { MILLRACE_CONCURRENCY: 'many' })
    expect(message).toContain(
      'Millrace cannot start: MILLRACE_CONCURRENCY: "many" is not a number. Example: MILLRACE_CONCURRENCY=256',
    )
  })

  it('says that the port is taken', async () => {
    const upstream = await startUpstream()
    const message = await spawnMillrace(folder(), Number(new URL(upstream.url).port)).then(
      () => 'it started',
      (error: Error) => error.message,
    )
    expect(message).toContain('Another program uses that address')
    await upstream.close()
  })

  it('exits with a code that is not 0', () => {
    const run = () =>
      execFileSync(process.execPath, [ENTRY, 'serve'], {
        env: childEnvironment({ MILLRACE_PORT: 'x' }),
        stdio: 'pipe',
      })
    expect(run).toThrow(expect.objectContaining({ status: 1 }))
  })
})
