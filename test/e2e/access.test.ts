// Tests the access table: every kind of caller calls every route of a running server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { meets, SCOPES, type Scopes, UNIONS } from '../../src/base/scopes.ts'
import { ACCESS, type Access, scopesOf } from '../../src/http/access/access.ts'
import { addUser, type Browser, openBrowser, PASSWORD, setUpOwner } from '../harness/browser.ts'
import { expectFailure } from '../harness/inbox.ts'
import { type Answer, answerOf, type Millrace, startMillrace } from '../harness/millrace.ts'

let millrace: Millrace
const callers: Record<string, (method: string, path: string) => Promise<Answer>> = {}
let editor: Browser

beforeAll(async () => {
  millrace = await startMillrace()
  const owner = await setUpOwner(millrace)
  editor = await addUser(millrace, 'editor', 'editor@example.com')
  const viewer = await addUser(millrace, 'viewer', 'viewer@example.com')
  const sessions = { 'session of a viewer': viewer, 'session of an editor': editor, 'session of an owner': owner }
  for (const [name, browser] of Object.entries(sessions))
    callers[name] = async (method, path) => {
      const answer = await firstOf(method, path, { cookie: browser.cookie()!, origin: origin() })
      // Signing out ends the session: the rest of the table needs another one.
      if (path === '/api/auth/sign-out') await browser.send('POST', '/api/auth/sign-in/email', SIGN_IN[name])
      return answer
    }
  const tokens = [
    ...Object.keys(UNIONS).map((scope) => [`token ${scope}`, { scope }] as const),
    ...SCOPES.map((scope) => [`token with only ${scope}`, { scopes: [scope] }] as const),
  ]
  for (const [name, may] of tokens) {
    const { token } = (await millrace.api('POST', '/tokens', { name, ...may })).body
    callers[name] = (method, path) => firstOf(method, path, { authorization: `Bearer ${token}` })
  }
  callers['nobody'] = (method, path) => firstOf(method, path, {})
})
afterAll(() => millrace.stop())

const SIGN_IN: Record<string, object> = {
  'session of a viewer': { email: 'viewer@example.com', password: PASSWORD },
  'session of an editor': { email: 'editor@example.com', password: PASSWORD },
  'session of an owner': { email: 'ada@example.com', password: PASSWORD },
}

const origin = () => `http://localhost:${millrace.port}`

/** Reads only the head of the answer: some answers are endless. */
async function firstOf(method: string, path: string, headers: Record<string, string>): Promise<Answer> {
  const ending = new AbortController()
  const response = await fetch(millrace.url + path, {
    method,
    headers: { ...headers, ...(method !== 'GET' && method !== 'DELETE' && { 'content-type': 'application/json' }) },
    body: method === 'GET' || method === 'DELETE' ? undefined : '{"nothing": "that any route takes"}',
    signal: ending.signal,
  })
  if (response.headers.get('content-type') !== 'text/event-stream') return answerOf(response)
  ending.abort()
  return { status: response.status, headers: response.headers, body: null }
}

interface Reach {
  kinds: Access[]
  scopes: Scopes
}

const token = (scopes: Scopes): Reach => ({ kinds: ['open', 'known', 'token'], scopes })
const session = (scopes: Scopes): Reach => ({ kinds: ['open', 'known', 'session', 'confined'], scopes })

const REACH: Record<string, Reach> = {
  nobody: { kinds: ['open'], scopes: [] },
  'token read': token(UNIONS.read),
  'token write': token(UNIONS.write),
  'token admin': token(UNIONS.admin),
  'session of a viewer': session(UNIONS.read),
  'session of an editor': session(UNIONS.write),
  'session of an owner': session(UNIONS.admin),
  ...Object.fromEntries(SCOPES.map((scope) => [`token with only ${scope}`, token([scope])])),
}

const isLetIn = ({ kinds, scopes }: Reach, needed: Access): boolean => {
  const wanted = scopesOf(needed)
  return 'length' in wanted && wanted.length === 0 ? kinds.includes(needed) : meets(scopes, wanted)
}

/** The ids do not exist: a caller who is let in finds nothing, and changes nothing. */
const urlOf = (path: string) => path.replaceAll(/:\w+/g, (name) => (name === ':version' ? '1' : 'none'))

/** How many requests were let in, and how many were refused, by caller. */
const tried: Record<string, { letIn: number; refused: number }> = {}

describe('the access table', () => {
  const cases = Object.entries(ACCESS).flatMap(([route, needed]) =>
    Object.keys(REACH).map((caller) => [route, needed, caller] as const),
  )

  it.each(cases)('%s is %s: %s', async (route, needed, caller) => {
    const [method, path] = route.split(' ') as [string, string]
    const answer = await callers[caller]!(method, urlOf(path))
    const count = tried[caller] ?? { letIn: 0, refused: 0 }
    tried[caller] = count
    if (isLetIn(REACH[caller]!, needed)) {
      count.letIn++
      expect([401, 403, 500]).not.toContain(answer.status)
    } else {
      count.refused++
      expectFailure(answer, caller === 'nobody' ? 401 : 403, caller === 'nobody' ? 'unauthorized' : 'forbidden')
    }
    // The server answers this if there is no such route.
    expect(JSON.stringify(answer.body)).not.toContain('There is nothing at')
  })

  it('was tried with every route by every caller', () => {
    const routes = Object.keys(ACCESS).length
    expect(Object.keys(tried).toSorted()).toEqual(Object.keys(REACH).toSorted())
    for (const [caller, { letIn, refused }] of Object.entries(tried)) expect(letIn + refused, caller).toBe(routes)
    // Each scope lets in to something that no other scope does, and to few things.
    for (const scope of SCOPES) {
      const own = Object.values(ACCESS).filter((needed) => isLetIn({ kinds: [], scopes: [scope] }, needed))
      expect(own.length, scope).toBeGreaterThan(2)
      expect(tried[`token with only ${scope}`]!.refused, scope).toBeGreaterThan(routes / 2)
    }
  })
})

describe('a request with a session cookie', () => {
  const publish = (headers: Record<string, string | undefined>) =>
    editor.send('POST', '/api/v1/flows', { name: 'x', trigger: { kind: 'webhook' }, steps: [] }, headers)

  it('is taken from our own pages', async () => {
    expect((await publish({})).status).toBe(201)
    expect((await publish({ 'sec-fetch-site': 'same-origin' })).status).toBe(201)
  })

  it.each([
    ['another site', { origin: 'https://evil.example.com' }],
    ['another port', { origin: 'http://localhost:1' }],
    ['a sandboxed page', { origin: 'null' }],
    ['a page that hides its origin', { origin: undefined }],
    ['another site, by the browser’s word', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour domain, by the browser’s word', { 'sec-fetch-site': 'same-site' }],
  ])('is refused from %s', async (_what, headers) => {
    expectFailure(await publish(headers), 403, 'forbidden')
  })

  it.each([
    ['POST', '/api/v1/runs/none/cancel'],
    ['PUT', '/api/v1/flows/none'],
    ['DELETE', '/api/v1/flows/none'],
    ['POST', '/api/auth/sign-out'],
    ['POST', '/api/auth/change-password'],
  ])('is refused from another site for %s %s', async (method, path) => {
    expectFailure(await editor.send(method, path, undefined, { origin: 'https://evil.example.com' }), 403, 'forbidden')
    expect((await editor.send('GET', '/api/v1/me')).status).toBe(200)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain; x=json'])(
    'is refused as %s, which a form can send',
    async (type) => {
      const body = '{"name": "x", "trigger": {"kind": "webhook"}, "steps": []}'
      expectFailure(await editor.send('POST', '/api/v1/flows', body, { 'content-type': type }), 400, 'invalid_request')
    },
  )

  it('may read from anywhere: no other origin gets to see the answer', async () => {
    const answer = await editor.send('GET', '/api/v1/flows', undefined, { origin: 'https://evil.example.com' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('is judged by its token, where it has one', async () => {
    const { token } = (await millrace.api('POST', '/tokens', { name: 'other', scope: 'read' })).body
    const me = await editor.send('GET', '/api/v1/me', undefined, { authorization: `Bearer ${token}` })
    expect(me.body.name).toBe('token other')
    expect((await publish({ authorization: `Bearer ${token}` })).body.message).toContain('yours is read')
    expect((await publish({ authorization: 'Bearer wrong' })).status).toBe(401)
  })
})

describe('signing in', () => {
  it('cannot be done by another site, for somebody who then works in a stranger’s account', async () => {
    const body = { email: 'viewer@example.com', password: PASSWORD }
    const browser = openBrowser(millrace)
    const headers = { origin: 'https://evil.example.com' }
    expectFailure(await browser.send('POST', '/api/auth/sign-in/email', body, headers), 403, 'forbidden')
    expect((await browser.send('POST', '/api/auth/sign-in/email', body, { origin: undefined })).status).toBe(200)
  })

  it('is by these ways only', async () => {
    for (const path of ['sign-up/email', 'reset-password', 'list-sessions', 'update-user', 'callback/x', 'token', 'ok'])
      for (const method of ['GET', 'POST'])
        expect((await editor.send(method, `/api/auth/${path}`, method === 'POST' ? {} : undefined)).status).toBe(404)
  })
})
