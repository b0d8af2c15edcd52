// Tests secrets typed into flows: sealed when they are saved, bound to their flow, under a key that must match.
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { documentOf, expectIssues } from '../harness/management.ts'
import { type Millrace, spawnMillrace, startMillrace, temporaryFolder } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const SEALED = /^sealed:[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/
const SECRET = 's3cr3t-token'

let upstream: Upstream
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())

const call = (token: unknown = SECRET) => ({
  id: 'call',
  kind: 'http',
  method: 'GET',
  url: upstream.url,
  auth: { kind: 'bearer', token },
})

describe('a literal', () => {
  let millrace: Millrace
  let api: Millrace['api']
  beforeAll(async () => {
    millrace = await startMillrace()
    api = millrace.api
  })
  afterAll(() => millrace.stop())

  const create = async (steps: object[], trigger: object = {}) =>
    (await api('POST', '/flows', documentOf(steps, trigger))).body

  it('comes back sealed, wherever a secret may stand', async () => {
    const branch = { id: 'b', kind: 'branch', cases: [{ when: true, steps: [{ ...call(), id: 'inner' }] }] }
    const basic = { ...call(), id: 'basic', auth: { kind: 'basic', username: 'me', password: 12345678 } }
    const { draft } = await create([call(), branch, basic], { auth: { kind: 'header', name: 'X', value: SECRET } })
    for (const sealed of [
      draft.trigger.auth.value,
      draft.steps[0].auth.token,
      draft.steps[1].cases[0].steps[0].auth.token,
      draft.steps[2].auth.password,
    ])
      expect(sealed).toMatch(SEALED)
    expect(draft.steps[2].auth.username).toBe('me')
  })

  it('is sealed too while the draft is unfinished', async () => {
    const { draft } = await create([
      { id: 'no_auth_kind', kind: 'http', auth: { token: SECRET } },
      { id: 'no_kind', auth: { kind: 'bearer', token: SECRET } },
    ])
    for (const step of draft.steps) expect(step.auth.token).toMatch(SEALED)
  })

  it('stays as it is when it is empty or a template', async () => {
    const { draft } = await create([call('{{ env.TOKEN }}'), { ...call(''), id: 'b' }])
    expect(draft.steps.map((step: ReturnType<typeof call>) => step.auth.token)).toEqual(['{{ env.TOKEN }}', ''])
  })

  it('is kept when the draft is sent back, and then makes no new version', async () => {
    const { flow, post } = await millrace.publish(documentOf([call()]))
    const { draft } = (await api('GET', `/flows/${flow.id}`)).body
    const saved = await api('PUT', `/flows/${flow.id}`, draft)
    expect(saved.body.draft).toEqual(draft)
    expect((await api('POST', `/flows/${flow.id}/publish`)).body).toMatchObject({
      version: 1,
      warnings: [{ path: '/steps/0/auth/token', code: 'hard_coded_secret' }],
    })
    await millrace.runEnded((await post({})).body.id)
    expect(upstream.received.at(-1)!.headers.authorization).toBe(`Bearer ${SECRET}`)
    expect((await api('GET', `/flows/${flow.id}/versions/1`)).body.document).toEqual(draft)
    expect((await api('POST', `/flows/${flow.id}/versions/1/restore`)).body.draft).toEqual(draft)
  })

  it('is refused in another flow, and where it was changed', async () => {
    const { draft } = await create([call()])
    const other = await create([])
    const sealed = draft.steps[0].auth.token
    const foreign: [string, string][] = [['/steps/0/auth/token', 'foreign_secret']]
    expectIssues(await api('POST', '/flows', draft), foreign)
    expectIssues(await api('PUT', `/flows/${other.id}`, draft), foreign)
    expectIssues(await api('PUT', `/flows/${other.id}`, documentOf([call(`${sealed}x`)])), foreign)
    expectIssues(await api('PUT', `/flows/${other.id}`, documentOf([call('sealed:of my own')])), foreign)
  })

  it('is neither sealed nor complained of by validate', async () => {
    const { draft } = await create([call()])
    const { body } = await api('POST', '/flows/validate', draft)
    expect(body).toMatchObject({ issues: [], warnings: [{ code: 'hard_coded_secret' }] })
  })
})

describe('a sealed value that was moved in the database', () => {
  it('fails the runs that need it, clearly, and nothing else', { timeout: 60_000 }, async () => {
    const hanging = await startUpstream(() => {})
    const dataDir = temporaryFolder()
    const port = await freePort()
    const first = await spawnMillrace(dataDir, port)
    const { flow, post } = await first.publish(documentOf([{ ...call(), url: hanging.url }]))
    const other = await first.publish(documentOf([call()]))
    const { id } = (await post({})).body
    await hanging.count(1)
    first.child.kill('SIGKILL')
    await first.exited
    const db = new DatabaseSync(join(dataDir, 'millrace.db'))
    const documentOfFlow = db.prepare('SELECT document FROM flow_version WHERE flow_id = ?')
    const moved = documentOfFlow.get(other.flow.id)!['document']!
    db.prepare('UPDATE flow_version SET document = ? WHERE flow_id = ?').run(moved, flow.id)
    db.close()

    const second = await spawnMillrace(dataDir, port)
    expect(await second.runEnded(id)).toMatchObject({ status: 'failed', error: { code: 'secret_unreadable' } })
    expect((await post({})).status).toBe(500)
    const fine = await second.runEnded((await other.post({})).body.id)
    expect(fine.status).toBe('succeeded')
    second.child.kill('SIGTERM')
    expect(await second.exited).toBe(0)
    await hanging.close()
    rmSync(dataDir, { recursive: true })
  })
})

describe('the key', () => {
  const folders: string[] = []
  const folder = () => {
    const made = temporaryFolder()
    folders.push(made)
    return made
  }
  afterEach(() => {
    for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true })
  })
  const newKey = () => randomBytes(32).toString('base64')

  const startWith = (dataDir: string, key?: string) =>
    startMillrace({ MILLRACE_DATA_DIR: dataDir, ...(key && { MILLRACE_SECRET_KEY: key }) })

  /** Prepares a folder with a published flow and its secret. */
  async function folderWithSecret(key?: string): Promise<{ dataDir: string; webhookId: string }> {
    const dataDir = folder()
    const millrace = await startWith(dataDir, key)
    const { flow } = await millrace.publish(documentOf([call()]))
    await millrace.stop()
    return { dataDir, webhookId: flow.webhook.id }
  }

  async function expectSent(millrace: Millrace, webhookId: string): Promise<void> {
    const before = upstream.received.length
    const answer = await fetch(`${millrace.url}/api/v1/webhooks/${webhookId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    await millrace.runEnded(((await answer.json()) as { id: string }).id)
    expect(upstream.received[before]!.headers.authorization).toBe(`Bearer ${SECRET}`)
  }

  it('is made once, for its owner only, and found again', async () => {
    const { dataDir, webhookId } = await folderWithSecret()
    const file = join(dataDir, 'secret.key')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const key = readFileSync(file, 'utf8').trim()
    const again = await startWith(dataDir)
    await expectSent(again, webhookId)
    await again.stop()
    const byVariable = await startWith(dataDir, key)
    await expectSent(byVariable, webhookId)
    await byVariable.stop()
    expect(readFileSync(file, 'utf8').trim()).toBe(key)
  })

  it('stops the start when it is another one, and nothing is changed', async () => {
    const { dataDir } = await folderWithSecret(newKey())
    const before = readFileSync(join(dataDir, 'millrace.db'))
    const failure = await spawnMillrace(dataDir, await freePort(), { MILLRACE_SECRET_KEY: newKey() }).then(
      () => 'it started',
      (error: Error) => error.message,
    )
    expect(failure).toMatch(/Millrace cannot start: The secrets in .* MILLRACE_SECRET_KEY/)
    expect(failure.trim().split('\n')).toHaveLength(1)
    await expect(startWith(dataDir)).rejects.toThrow('MILLRACE_SECRET_KEY')
    expect(readFileSync(join(dataDir, 'millrace.db')).equals(before)).toBe(true)
  })

  it('stops the start when its file is gone or damaged, and no new one is made', async () => {
    const { dataDir } = await folderWithSecret()
    const file = join(dataDir, 'secret.key')
    rmSync(file)
    await expect(startWith(dataDir)).rejects.toThrow(`The folder ${dataDir} holds sealed secrets, but their key`)
    expect(() => statSync(file)).toThrow('ENOENT')
  })

  it('is rotated by a list, and an old one may go when nothing needs it any more', async () => {
    const [old, current] = [newKey(), newKey()]
    const { dataDir, webhookId } = await folderWithSecret(old)
    const rotated = await startWith(dataDir, `${current},${old}`)
    await expectSent(rotated, webhookId)
    await rotated.stop()
    await expect(startWith(dataDir, current)).rejects.toThrow('Add it to the end of the list in MILLRACE_SECRET_KEY')

    const retyped = await startWith(dataDir, `${current},${old}`)
    const [flow] = (await retyped.api('GET', '/flows')).body.items
    await retyped.api('PUT', `/flows/${flow.id}`, documentOf([call()]))
    await retyped.api('POST', `/flows/${flow.id}/publish`)
    await retyped.stop()
    const without = await startWith(dataDir, current)
    await expectSent(without, webhookId)
    await without.stop()
  })
})
