// Tests a change of the sealing key while the service runs: all that is sealed moves to the new key, and the old can go.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Visitor } from '../harness/authorization-server.ts'
import { ENTRY } from '../harness/entry.ts'
import { childEnvironment } from '../harness/environment.ts'
import { freePort } from '../harness/free-port.ts'
import { type Gate, startGate } from '../harness/gate.ts'
import { documentOf } from '../harness/management.ts'
import {
  type Client,
  type Millrace,
  type PublishedFlow,
  spawnMillrace,
  startMillrace,
  TOKEN,
  temporaryFolder,
} from '../harness/millrace.ts'
import { type OddServer, startOddServer } from '../harness/odd-token-server.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const newKey = () => randomBytes(32).toString('base64')
const LITERAL = 'l1teral-secret'
const TOKEN_OF_SHOP = 'sh0p-token-1'

let upstream: Upstream
let gate: Gate
let odd: OddServer
let dataDir: string
let port: number
beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ authorization: request.headers.authorization ?? null, body: request.body }))
  })
  odd = await startOddServer()
})
beforeEach(async () => {
  gate = await startGate()
  dataDir = temporaryFolder()
  port = await freePort()
})
afterEach(async () => {
  gate.open()
  await gate.close()
  rmSync(dataDir, { recursive: true, force: true })
})
afterAll(async () => {
  await upstream.close()
  await odd.close()
})

const start = (...keys: string[]): Promise<Millrace> =>
  startMillrace({
    MILLRACE_DATA_DIR: dataDir,
    MILLRACE_PORT: String(port),
    MILLRACE_SECRET_KEY: keys.join(','),
    MILLRACE_ENV_GATE: gate.url,
  })

const call = (more: object = {}) => ({
  id: 'call',
  kind: 'http',
  method: 'POST',
  url: upstream.url,
  auth: { kind: 'bearer', token: LITERAL },
  body: { kind: 'json', value: '{{ webhook.body }}' },
  ...more,
})

const LONG = { timeout: 30_000 }

const keysOf = async (client: Client) => (await client.api('GET', '/keys')).body

async function rotated(client: Client) {
  expect((await client.api('POST', '/keys/rotate')).status).toBe(202)
  return expect
    .poll(() => keysOf(client), LONG)
    .toMatchObject({ rotation: { status: expect.stringMatching(/idle|failed/) } })
    .then(() => keysOf(client))
}

/** Creates one of everything that is sealed. */
async function fill(millrace: Client) {
  const { api } = millrace
  await api('POST', '/connections', { name: 'shop', kind: 'bearer', fields: { token: TOKEN_OF_SHOP } })
  await api('POST', '/connections', { name: 'crm', kind: 'oauth2', fields: odd.fields('client_credentials') })
  await api('POST', '/connections', { name: 'person', kind: 'oauth2', fields: odd.fields() })
  const { flow, post } = await millrace.publish(
    documentOf([
      call(),
      { id: 'keep', kind: 'store', op: 'set', key: 'token', value: '{{ connections.shop.token }}' },
      call({ id: 'machine', auth: { kind: 'oauth2', connection: 'crm' } }),
    ]),
  )
  await api('PUT', `/flows/${flow.id}`, { ...flow.draft!, name: 'Second version' })
  await api('POST', `/flows/${flow.id}/publish`)
  const finished = (await post({ copy: LITERAL })).body.id
  expect((await millrace.runEnded(finished)).status).toBe('succeeded')
  const held = await millrace.publish(
    documentOf([
      call(),
      { id: 'copy', kind: 'set', vars: { token: '{{ connections.shop.token }}' } },
      { id: 'held', kind: 'http', method: 'GET', url: '{{ env.GATE }}' },
      call({ id: 'later', body: { kind: 'json', value: ['{{ vars.token }}', '{{ steps.call.body.authorization }}'] } }),
    ]),
  )
  const waiting = (await held.post({ copy: LITERAL })).body.id
  await gate.count(1)
  const testRun = (await api('POST', `/flows/${held.flow.id}/test`, {})).body.id
  await gate.count(2)
  const authorization = (await api('POST', '/connections/person/authorize')).body.url
  return { flow, post, finished, waiting, testRun, authorization }
}

describe('key rotation', { timeout: 120_000 }, () => {
  it('moves everything to the new key under load; then the old one is not needed any more', async () => {
    const [oldKey, key] = [newKey(), newKey()]
    let millrace = await start(oldKey)
    const { flow, finished, waiting, testRun, authorization } = await fill(millrace)
    await millrace.stop()

    millrace = await start(key, oldKey)
    await gate.count(4)
    const before = await keysOf(millrace)
    expect(before.keys).toHaveLength(2)
    const [current, old] = before.keys
    expect(current.id).toBe(before.current)
    // Counts a draft, two versions, another draft and version, a test run's document; the store's key; three connections, a
    // grant, a request; runs and steps.
    expect(old).toMatchObject({ given: true, sealed: expect.any(Number) })
    expect(old.sealed).toBeGreaterThan(15)

    const load = await millrace.publish(documentOf([]))
    let busy = true
    const statuses: number[] = []
    const senders = Array.from({ length: 4 }, async () => {
      while (busy) statuses.push((await load.post({ copy: LITERAL })).status)
    })
    const after = await rotated(millrace)
    busy = false
    await Promise.all(senders)
    expect(after.rotation).toEqual({ status: 'idle', done: old.sealed, total: old.sealed, error: null })
    expect(after.keys.find(({ id }: { id: string }) => id === old.id)).toEqual({ id: old.id, sealed: 0, given: true })
    expect(statuses.length).toBeGreaterThan(0)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect((await millrace.api('GET', '/audit')).body.items[0]).toMatchObject({ action: 'key.rotate' })
    await millrace.stop()

    millrace = await start(key)
    const unchanged = await millrace.api('POST', `/flows/${flow.id}/publish`)
    expect(unchanged.body.version).toBe(2)
    gate.open()
    for (const id of [waiting, testRun]) {
      expect((await millrace.runEnded(id)).status).toBe('succeeded')
      expect(upstream.received.map(({ body }) => body)).toContain(JSON.stringify([TOKEN_OF_SHOP, `Bearer ${LITERAL}`]))
    }
    const replayed = (await millrace.api('POST', `/runs/${finished}/replay`, {})).body.id
    expect((await millrace.runEnded(replayed)).status).toBe('succeeded')
    const browser = new Visitor()
    const back = await browser.consent(authorization, `http://localhost:${port}`)
    expect((await browser.open(back.replace('localhost', '127.0.0.1'))).status).toBe(200)
    await millrace.stop()
  })

  it('is begun again after kill -9 in the middle, and goes on from there', async () => {
    const [oldKey, key] = [newKey(), newKey()]
    const millrace = await start(oldKey)
    const { flow, post } = await millrace.publish(documentOf([call()]))
    // The document is large, so that resealing takes many batches.
    const content = { copy: LITERAL, more: 'x'.repeat(100_000) }
    const runs: string[] = []
    for (let i = 0; i < 60; i++) runs.push((await post(content)).body.id)
    const succeeded = `/runs?flow=${flow.id}&status=succeeded&limit=200`
    await expect.poll(async () => (await millrace.api('GET', succeeded)).body.items.length, LONG).toBe(60)
    await millrace.stop()

    const environment = { MILLRACE_SECRET_KEY: `${key},${oldKey}` }
    const killed = await spawnMillrace(dataDir, port, environment)
    const { body } = await killed.api('POST', '/keys/rotate')
    expect(body.rotation.status).toBe('running')
    await expect.poll(async () => (await keysOf(killed)).rotation.done, { ...LONG, interval: 1 }).toBeGreaterThan(0)
    killed.child.kill('SIGKILL')
    await killed.exited

    const next = await spawnMillrace(dataDir, port, environment)
    const halfway = await keysOf(next)
    expect(halfway.rotation.status).toBe('idle')
    for (const { sealed } of halfway.keys) expect(sealed).toBeGreaterThan(0)
    expect((await rotated(next)).keys.map(({ sealed }: { sealed: number }) => sealed > 0)).toEqual([true, false])
    for (const id of [runs[0]!, runs.at(-1)!]) {
      const again = (await next.api('POST', `/runs/${id}/replay`, {})).body.id
      expect((await next.runEnded(again)).status).toBe('succeeded')
      expect(upstream.received.at(-1)!.body).toBe(JSON.stringify(content))
    }
    expect((await next.api('GET', `/flows/${flow.id}`)).status).toBe(200)
    next.child.kill('SIGTERM')
    expect(await next.exited).toBe(0)
  })

  it('says how much cannot be opened, and does the rest', async () => {
    const [oldKey, key] = [newKey(), newKey()]
    let millrace = await start(oldKey)
    for (const name of ['one', 'two', 'three'])
      await millrace.api('POST', '/connections', { name, kind: 'bearer', fields: { token: `the-token-of-${name}` } })
    await millrace.stop()
    const db = new DatabaseSync(join(dataDir, 'millrace.db'))
    db.exec(`UPDATE connection SET sealed = (SELECT sealed FROM connection WHERE name = 'one') WHERE name = 'two'`)
    db.close()

    millrace = await start(key, oldKey)
    // The sealed text was moved from another row.
    expect((await millrace.api('GET', '/connections/two')).body).toMatchObject({
      state: 'reconnect',
      reason: expect.stringContaining('cannot be read'),
      secretFields: [],
    })
    const { keys, rotation } = await rotated(millrace)
    expect(rotation).toMatchObject({ status: 'failed', error: expect.stringContaining('1 sealed values') })
    expect(keys.map(({ sealed }: { sealed: number }) => sealed)).toEqual([3, 1])
    const set = await millrace.api('PUT', '/connections/two', { fields: { token: 'set-again' } })
    expect(set.body).toMatchObject({ state: 'ready', secretFields: ['token'] })
    expect((await rotated(millrace)).rotation).toMatchObject({ status: 'idle', error: null })
    await millrace.stop()
  })

  it('is needed before a key is dropped: the start is refused while a connection needs it', async () => {
    const [oldKey, key] = [newKey(), newKey()]
    const millrace = await start(oldKey)
    await millrace.api('POST', '/connections', { name: 'shop', kind: 'bearer', fields: { token: TOKEN_OF_SHOP } })
    await millrace.stop()
    await (await start(key, oldKey)).stop()
    await expect(start(key)).rejects.toThrow(/sealed with a key \([0-9a-f]{8}\) that is not given/)
  })
})

describe('millrace keys rotate', { timeout: 60_000 }, () => {
  const [oldKey, key] = [newKey(), newKey()]

  async function command(args: string[], environment: Record<string, string> = {}) {
    const child = spawn(process.execPath, [ENTRY, 'keys', ...args], {
      env: childEnvironment({
        MILLRACE_DATA_DIR: dataDir,
        MILLRACE_PORT: String(port),
        MILLRACE_BASE_URL: `http://127.0.0.1:${port}`,
        MILLRACE_SECRET_KEY: `${key},${oldKey}`,
        ...environment,
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
    const code = await new Promise((resolve) => child.on('close', resolve))
    return { code, output }
  }

  async function prepare(): Promise<PublishedFlow> {
    const millrace = await start(oldKey)
    const published = await millrace.publish(documentOf([call()]))
    await millrace.stop()
    return published
  }

  it('works on the data folder where no service runs', async () => {
    await prepare()
    expect(await command(['list'])).toMatchObject({ code: 0, output: expect.stringContaining('is still needed') })
    const { code, output } = await command(['rotate'])
    expect(output).toContain('can be removed from MILLRACE_SECRET_KEY')
    expect(code).toBe(0)
    const millrace = await start(key)
    expect((await keysOf(millrace)).keys).toHaveLength(1)
    await millrace.stop()
  })

  it('asks the service that uses the folder', async () => {
    await prepare()
    const millrace = await start(key, oldKey)
    expect(await command(['rotate'])).toMatchObject({
      code: 6,
      output: expect.stringContaining('MILLRACE_ADMIN_TOKEN'),
    })
    const wrong = await command(['rotate'], { MILLRACE_ADMIN_TOKEN: 'not-the-token-of-it' })
    expect(wrong).toMatchObject({ code: 6, output: expect.stringContaining('Authorization') })
    const { code, output } = await command(['rotate'], { MILLRACE_ADMIN_TOKEN: TOKEN })
    expect(output).toContain('can be removed')
    expect(code).toBe(0)
    expect((await keysOf(millrace)).keys[1].sealed).toBe(0)
    await millrace.stop()
  })

  it('makes no database where there is none, and knows its commands', async () => {
    expect(await command(['rotate'])).toMatchObject({ code: 5, output: expect.stringContaining('No server answers') })
    expect(readdirSync(dataDir)).toEqual([])
    expect(await command(['burn'])).toMatchObject({
      code: 2,
      output: expect.stringContaining('no command "keys burn"'),
    })
  })
})
