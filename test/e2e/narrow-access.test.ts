// Tests narrow tokens, roles that owners make, and that what somebody had ends with what they lose.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Scope } from '../../src/base/scopes.ts'
import { addUser, type Browser, openBrowser, PASSWORD, setUpOwner } from '../harness/browser.ts'
import { expectFailure } from '../harness/inbox.ts'
import { type Answer, answerOf, type Millrace, startMillrace } from '../harness/millrace.ts'

let millrace: Millrace
let owner: Browser
beforeAll(async () => {
  millrace = await startMillrace()
  owner = await setUpOwner(millrace)
})
afterAll(() => millrace.stop())

const as = async (token: string, method: string, path: string, body?: object): Promise<Answer> =>
  answerOf(
    await fetch(`${millrace.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : undefined,
    }),
  )

const tokenOf = async (...scopes: Scope[]): Promise<string> =>
  (await millrace.api('POST', '/tokens', { name: scopes.join(), scopes })).body.token

const SECRET_ORDER = 'order-4711'

/** Publishes a flow that fails with data, and returns the run of one delivery. */
async function failedRun(): Promise<{ flow: string; run: string; delivery: string }> {
  const document = {
    name: 'fails',
    trigger: { kind: 'webhook' },
    steps: [
      { id: 'keep', kind: 'set', vars: { order: '{{ webhook.body.order }}' } },
      { id: 'stop', kind: 'fail', message: 'No' },
    ],
  }
  const { id, webhook } = (await millrace.api('POST', '/flows', document)).body
  expect((await millrace.api('POST', `/flows/${id}/publish`)).status).toBe(200)
  await fetch(webhook.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order: SECRET_ORDER }),
  })
  const found = async () => (await millrace.api('GET', `/runs?flow=${id}&status=failed`)).body.items[0]
  await expect.poll(found, { timeout: 10_000 }).toBeDefined()
  const [delivery] = (await millrace.api('GET', `/deliveries?flow=${id}`)).body.items
  return { flow: id, run: (await found()).id, delivery: delivery.id }
}

describe('a token without runs:data', () => {
  it('sees that there are runs, and nothing of what they were given, sent and got', async () => {
    const { flow, run, delivery } = await failedRun()
    const token = await tokenOf('runs:read')
    const views = [
      '/runs',
      `/runs/${run}`,
      `/runs/${run}/steps`,
      `/deliveries/${delivery}`,
      `/flows/${flow}/deliveries`,
    ]
    for (const path of [...views, '/failures', '/deliveries', '/stats', `/search?q=${run}`]) {
      const all = await millrace.api('GET', path)
      const part = await as(token, 'GET', path)
      expect(part.status, path).toBe(200)
      expect(JSON.stringify(part.body), path).not.toContain(SECRET_ORDER)
      if (views.slice(1).includes(path)) expect(JSON.stringify(all.body), path).toContain(SECRET_ORDER)
    }
    const shown = (await as(token, 'GET', `/runs/${run}`)).body
    expect(shown).toMatchObject({ status: 'failed', error: { message: 'No' }, dataHidden: true, vars: {} })
    expect(shown.steps).toMatchObject([{ id: 'keep', status: 'succeeded', input: null, output: null }, { id: 'stop' }])
    expect((await as(token, 'GET', `/deliveries/${delivery}`)).body.webhook).toMatchObject({ dataHidden: true })

    const events = await fetch(`${millrace.url}/api/v1/runs/${run}/events`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const reader = events.body!.getReader()
    const first = new TextDecoder().decode((await reader.read()).value)
    expect(first).toContain('event: run')
    expect(first).not.toContain(SECRET_ORDER)
    await reader.cancel()
  })
})

describe('a token without connections:use', () => {
  it('can neither save nor publish nor test a flow that names a connection', async () => {
    await millrace.api('POST', '/connections', { name: 'crm', kind: 'bearer', fields: { token: 'a-token' } })
    const document = {
      name: 'calls',
      trigger: { kind: 'webhook' },
      steps: [
        {
          id: 'call',
          kind: 'http',
          method: 'GET',
          url: 'https://api.example.com',
          headers: [{ name: 'X', value: '{{ connections.crm.token }}' }],
        },
      ],
    }
    const without = await tokenOf('flows:read', 'flows:write', 'runs:data')
    const refused = await as(without, 'POST', '/flows', document)
    expectFailure(refused, 403, 'forbidden')
    expect(refused.body.message).toContain('the connection "crm"')
    const { id } = (await millrace.api('POST', '/flows', document)).body
    expectFailure(await as(without, 'PUT', `/flows/${id}`, { ...document, name: 'renamed' }), 403, 'forbidden')
    expectFailure(await as(without, 'POST', `/flows/${id}/publish`), 403, 'forbidden')
    expectFailure(await as(without, 'POST', `/flows/${id}/test`, {}), 403, 'forbidden')
    expectFailure(await as(without, 'POST', `/flows/${id}/steps/call/test`, {}), 403, 'forbidden')
    expectFailure(
      await as(without, 'POST', '/connections/crm/test', { url: 'https://api.example.com' }),
      403,
      'forbidden',
    )
    const withUse = await tokenOf('flows:write', 'connections:use')
    expect((await as(withUse, 'POST', `/flows/${id}/publish`)).status).toBe(200)
  })
})

describe('making tokens', () => {
  it('needs one way to say what it may, which its maker may too, and not for longer', async () => {
    for (const body of [{}, { scope: 'read', scopes: ['flows:read'] }, { scopes: [] }, { scopes: ['all'] }])
      expect((await millrace.api('POST', '/tokens', { name: 'x', ...body })).status).toBe(400)
    const past = { name: 'x', scope: 'read', expiresAt: '2020-01-01T00:00:00Z' }
    expectFailure(await millrace.api('POST', '/tokens', past), 400, 'invalid_request')

    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const short = await millrace.api('POST', '/tokens', { name: 'x', scopes: ['admin', 'flows:read'], expiresAt })
    expect(short.body).toMatchObject({ scope: null, scopes: ['flows:read', 'admin'], expiresAt })
    const { token } = short.body
    expectFailure(await as(token, 'POST', '/tokens', { name: 'y', scopes: ['runs:read'], expiresAt }), 403, 'forbidden')
    expectFailure(await as(token, 'POST', '/tokens', { name: 'y', scopes: ['flows:read'] }), 403, 'forbidden')
    expect((await as(token, 'POST', '/tokens', { name: 'y', scopes: ['flows:read'], expiresAt })).status).toBe(201)
    expectFailure(await as(token, 'POST', '/roles', { name: 'wide', scopes: ['runs:read'] }), 403, 'forbidden')
    expectFailure(await as(token, 'POST', '/invitations', { role: 'owner' }), 403, 'forbidden')
  })

  it('that end, ends with the one that made them', async () => {
    const maker = (await millrace.api('POST', '/tokens', { name: 'maker', scope: 'admin' })).body
    const made = (await as(maker.token, 'POST', '/tokens', { name: 'made', scope: 'admin' })).body
    const last = (await as(made.token, 'POST', '/tokens', { name: 'last', scope: 'read' })).body
    expect((await as(last.token, 'GET', '/me')).status).toBe(200)
    await millrace.api('DELETE', `/tokens/${maker.id}`)
    for (const { token } of [maker, made, last]) expectFailure(await as(token, 'GET', '/me'), 401, 'unauthorized')
  })
})

describe('a role that an owner makes', () => {
  it('lets its users do what it says, and what it loses ends at once', async () => {
    const role = { name: 'support', scopes: ['runs:read', 'admin'] }
    expect((await owner.send('POST', '/api/v1/roles', role)).body).toEqual({ ...role, builtIn: false })
    expectFailure(await owner.send('POST', '/api/v1/roles', role), 409, 'conflict')
    for (const name of ['owner', 'viewer'])
      expectFailure(await owner.send('PUT', `/api/v1/roles/${name}`, { scopes: ['runs:read'] }), 409, 'conflict')
    const user = await addUser(millrace, 'support', 'sam@example.com')
    expect((await user.send('GET', '/api/v1/me')).body).toMatchObject({
      scopes: role.scopes,
      user: { role: 'support' },
    })
    expect((await user.send('GET', '/api/v1/runs')).status).toBe(200)
    expectFailure(await user.send('GET', '/api/v1/flows'), 403, 'forbidden')
    // Who has less than an owner makes nobody an owner.
    expectFailure(await user.send('PUT', `/api/v1/users/${user.id}`, { role: 'owner' }), 403, 'forbidden')
    expectFailure(await owner.send('DELETE', '/api/v1/roles/support'), 409, 'conflict')

    const { token } = (await user.send('POST', '/api/v1/tokens', { name: 'own', scopes: ['admin', 'runs:read'] })).body
    const made = (await as(token, 'POST', '/tokens', { name: 'made', scopes: ['runs:read'] })).body
    const invitation = (await user.send('POST', '/api/v1/invitations', { role: 'support' })).body
    const watching = [user.cookie()!].map((cookie) =>
      fetch(`${millrace.url}/api/v1/events`, { headers: { cookie } }).then((response) => response.text()),
    )
    watching.push(
      fetch(`${millrace.url}/api/v1/events`, { headers: { authorization: `Bearer ${made.token}` } }).then((response) =>
        response.text(),
      ),
    )
    expect((await owner.send('PUT', '/api/v1/roles/support', { scopes: ['runs:read'] })).status).toBe(200)
    await Promise.all(watching)
    expectFailure(await user.send('GET', '/api/v1/runs'), 401, 'unauthorized')
    for (const one of [token, made.token]) expectFailure(await as(one, 'GET', '/runs'), 401, 'unauthorized')
    const code = new URL(invitation.url).hash.replace('#code=', '')
    expectFailure(await openBrowser(millrace).send('POST', '/api/auth/invitation', { code }), 404, 'not_found')
    const again = { email: 'sam@example.com', password: PASSWORD }
    expect((await user.send('POST', '/api/auth/sign-in/email', again)).status).toBe(200)
    expect((await user.send('GET', '/api/v1/me')).body.scopes).toEqual(['runs:read'])
    await owner.send('PUT', `/api/v1/users/${user.id}`, { role: 'viewer' })
    expect((await owner.send('DELETE', '/api/v1/roles/support')).status).toBe(204)
    expectFailure(await owner.send('PUT', `/api/v1/users/${user.id}`, { role: 'support' }), 400, 'invalid_request')
  })
})
