// Tests API tokens: created, used, listed and revoked.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { UNIONS } from '../../src/base/scopes.ts'
import { addUser, setUpOwner } from '../harness/browser.ts'
import { expectFailure } from '../harness/inbox.ts'
import { ISO } from '../harness/management.ts'
import { type Answer, answerOf, type Millrace, startMillrace, temporaryFolder } from '../harness/millrace.ts'

let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace()
  await setUpOwner(millrace)
})
afterAll(() => millrace.stop())

const as = async (token: string, method: string, path: string, body?: object, at = millrace): Promise<Answer> =>
  at.api(method, path, body, { authorization: `Bearer ${token}` })

const make = async (name: string, scope: string): Promise<{ id: string; token: string }> =>
  (await millrace.api('POST', '/tokens', { name, scope })).body

const listed = async (id: string) =>
  (await millrace.api('GET', '/tokens')).body.items.find((token: { id: string }) => token.id === id)

describe('a token', () => {
  it('is shown once, and reaches as far as its scope', async () => {
    const made = await millrace.api('POST', '/tokens', { name: 'deploy', scope: 'write' })
    expect(made.status).toBe(201)
    const { token, ...rest } = made.body
    expect(token).toMatch(/^mr_[\w-]{43}$/)
    expect(rest).toEqual({
      id: expect.stringMatching(/^tok_/),
      name: 'deploy',
      scope: 'write',
      scopes: UNIONS.write,
      flows: null,
      tags: null,
      createdAt: expect.stringMatching(ISO),
      createdBy: 'admin token',
      expiresAt: null,
      lastUsedAt: null,
      lastAddress: null,
    })
    expect(await listed(rest.id)).toEqual(rest)
    expect((await as(token, 'GET', '/me')).body).toMatchObject({ name: 'token deploy', scope: 'write', user: null })
    const flow = await as(token, 'POST', '/flows', { name: 'x', trigger: { kind: 'webhook' }, steps: [] })
    expect(flow.status).toBe(201)
    expectFailure(await as(token, 'POST', '/tokens', { name: 'more', scope: 'read' }), 403, 'forbidden')
    const { items } = (await millrace.api('GET', '/audit?limit=2')).body
    expect(items).toMatchObject([
      { action: 'flow.create', actor: 'token deploy', actorId: rest.id },
      {
        action: 'token.create',
        actor: 'admin token',
        target: { id: rest.id, name: 'deploy' },
        details: { scope: 'write' },
      },
    ])
  })

  it('has its last use noted, and not with every request', async () => {
    const { id, token } = await make('used', 'read')
    await as(token, 'GET', '/me')
    const { lastUsedAt, lastAddress } = await listed(id)
    expect(lastUsedAt).toMatch(ISO)
    expect(lastAddress).toMatch(/^(127\.0\.0\.1|::1)$/)
    await as(token, 'GET', '/me')
    expect((await listed(id)).lastUsedAt).toBe(lastUsedAt)
  })

  it('is refused at once when it was revoked, and ends what watches through it', async () => {
    const { id, token } = await make('gone', 'admin')
    const events = await fetch(`${millrace.url}/api/v1/events`, { headers: { authorization: `Bearer ${token}` } })
    expect((await millrace.api('DELETE', `/tokens/${id}`)).status).toBe(204)
    expectFailure(await as(token, 'GET', '/me'), 401, 'unauthorized')
    await events.text()
    expect(await listed(id)).toBeUndefined()
    expectFailure(await millrace.api('DELETE', `/tokens/${id}`), 404, 'not_found')
    expect((await millrace.api('GET', '/audit?limit=5')).body.items).toContainEqual(
      expect.objectContaining({ action: 'token.revoke', target: { kind: 'token', id, name: 'gone' } }),
    )
  })

  it('that nearly fits is none', async () => {
    const { token } = await make('near', 'read')
    for (const wrong of [token.slice(0, -1), `${token}x`, token.toUpperCase(), token.slice(3), `mr_${token}`])
      expectFailure(await as(wrong, 'GET', '/me'), 401, 'unauthorized')
  })

  it('comes in pages with others, newest first', async () => {
    for (const name of ['a', 'b', 'c']) await make(name, 'read')
    const all = (await millrace.api('GET', '/tokens')).body.items
    expect(all.slice(0, 3).map(({ name }: { name: string }) => name)).toEqual(['c', 'b', 'a'])
    const first = (await millrace.api('GET', '/tokens?limit=2')).body
    const rest = (await millrace.api('GET', `/tokens?cursor=${first.nextCursor}`)).body
    expect([...first.items, ...rest.items]).toEqual(all)
    expect(rest.nextCursor).toBeNull()
  })

  it.each([{}, { name: ' ', scope: 'read' }, { name: 'x', scope: 'root' }, { name: 'x', scope: 'read', id: '1' }])(
    'is not made of %j',
    async (body) => {
      expect((await millrace.api('POST', '/tokens', body)).status).toBe(400)
    },
  )

  it('belongs to the user behind it: it goes with a role that does not reach so far', async () => {
    const user = await addUser(millrace, 'owner', 'maker@example.com')
    const own = async (scope: string, by?: string) => {
      const body = { name: `${scope} of maker`, scope }
      const answer = by ? await as(by, 'POST', '/tokens', body) : await user.send('POST', '/api/v1/tokens', body)
      return answer.body
    }
    const admin = await own('admin')
    const read = await own('read')
    // A token that a user's token created belongs to that user too.
    const grandchild = await own('admin', admin.token)
    expect(grandchild.createdBy).toBe('token admin of maker')
    await millrace.api('PUT', `/users/${user.id}`, { role: 'editor' })
    expect((await as(admin.token, 'GET', '/me')).status).toBe(401)
    expect((await as(grandchild.token, 'GET', '/me')).status).toBe(401)
    expect((await as(read.token, 'GET', '/me')).status).toBe(200)
  })

  it('works after a restart, with its last use; a revoked one does not', async () => {
    const dataDir = temporaryFolder()
    const first = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
    const [kept, revoked] = await Promise.all(
      ['kept', 'revoked'].map(async (name) => (await first.api('POST', '/tokens', { name, scope: 'admin' })).body),
    )
    await as(kept.token, 'GET', '/me', undefined, first)
    await first.api('DELETE', `/tokens/${revoked.id}`)
    const used = (await first.api('GET', '/tokens')).body.items
    await first.stop()
    const second = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
    expect((await second.api('GET', '/tokens')).body.items).toEqual(used)
    expect((await as(kept.token, 'GET', '/me', undefined, second)).status).toBe(200)
    expect((await as(revoked.token, 'GET', '/me', undefined, second)).status).toBe(401)
    await second.stop()
    rmSync(dataDir, { recursive: true })
  })
})

describe('the admin token', () => {
  it('keeps working beside users and tokens', async () => {
    expect((await millrace.api('GET', '/me')).body).toMatchObject({ name: 'admin token', scope: 'admin', user: null })
  })

  it('is not needed: without one, tokens that were made work', async () => {
    const dataDir = temporaryFolder()
    const first = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
    const { token } = (await first.api('POST', '/tokens', { name: 'kept', scope: 'admin' })).body
    await first.stop()
    const second = await startMillrace({ MILLRACE_DATA_DIR: dataDir, MILLRACE_ADMIN_TOKEN: '' })
    expect((await second.api('GET', '/me')).status).toBe(401)
    const response = await fetch(`${second.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    expect((await answerOf(response)).body.scope).toBe('admin')
    await vi.waitFor(() => expect(second.log()).toContain('There is no owner yet'), 10_000)
    await second.stop()
    rmSync(dataDir, { recursive: true })
  })
})
