// Tests connections: written once, used by name, never shown, and never sent to hosts that they do not allow.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leaksInFolder, leaksOf } from '../harness/leaks.ts'
import { documentOf, expectIssues, ISO } from '../harness/management.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

/** The secret of connections that are limited to hosts which no test calls. */
const KEPT = 'k3pt "s3cret"/+?=1'
const SECRET = 'tök3n "of" the+shop/1'

let upstream: Upstream
let other: Upstream
let millrace: Millrace
let api: Millrace['api']
beforeAll(async () => {
  // `/to/<status>/<url>` redirects; everything else echoes the request.
  upstream = await startUpstream((request, response) => {
    const [, status, location] = /^\/to\/(\d+)\/(.+)/.exec(request.url) ?? []
    if (status) response.writeHead(Number(status), { location: decodeURIComponent(location!) })
    else response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ headers: request.headers, url: request.url, body: request.body }))
  })
  other = await startUpstream()
  millrace = await startMillrace()
  api = millrace.api
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
  await other.close()
})

let count = 0
/** Creates a connection with a new name. */
async function connect(parts: object, name = `shop_${++count}`): Promise<string> {
  const created = await api('POST', '/connections', { name, ...parts })
  expect(created.body).toMatchObject({ name, state: 'ready' })
  expect(created.status).toBe(201)
  return name
}
const bearer = (more: object = {}) => connect({ kind: 'bearer', fields: { token: SECRET }, ...more })

const call = (more: object = {}) => ({ id: 'call', kind: 'http', method: 'GET', url: `${upstream.url}/echo`, ...more })

/** Publishes a flow of these steps and runs it once. */
async function runSteps(...steps: object[]) {
  const { flow, post } = await millrace.publish(documentOf(steps))
  const again = async () => millrace.runEnded((await post({})).body.id)
  return { flow, again, run: await again() }
}

const hostOf = ({ url }: Upstream) => new URL(url).host

describe('a connection', () => {
  it.each([
    ['basic', { username: 'me', password: KEPT }, { username: 'me' }, ['password']],
    ['bearer', { token: KEPT }, {}, ['token']],
    ['apiKey', { name: 'X-Key', value: KEPT }, { name: 'X-Key', in: 'header' }, ['value']],
    ['custom', { one: KEPT, Two_2: 'x' }, {}, ['one', 'Two_2']],
    [
      'oauth2',
      {
        grant: 'client_credentials',
        tokenUrl: 'https://id.example.com/token',
        clientId: 'me',
        clientSecret: KEPT,
        scopes: ['a', 'b'],
      },
      {
        grant: 'client_credentials',
        tokenUrl: 'https://id.example.com/token',
        clientId: 'me',
        scopes: ['a', 'b'],
        clientAuth: 'basic',
      },
      ['clientSecret'],
    ],
  ])('of the kind %s comes back without what is secret in it', async (kind, fields, shown, secretFields) => {
    const name = `kind_${kind.toLowerCase()}`
    const view = {
      name,
      kind,
      fields: shown,
      secretFields,
      hosts: ['*.example.com'],
      state: 'ready',
      reason: null,
      expiresAt: null,
      usedBy: [],
      createdAt: expect.stringMatching(ISO),
      updatedAt: expect.stringMatching(ISO),
    }
    const created = await api('POST', '/connections', { name, kind, fields, hosts: ['*.example.com'] })
    expect(created).toMatchObject({ status: 201, body: view })
    const read = await api('GET', `/connections/${name}`)
    expect(read).toMatchObject({ status: 200, body: view })
    const { items } = (await api('GET', '/connections?limit=200')).body
    expect(items).toContainEqual(read.body)
    expect(leaksOf(JSON.stringify([created.body, read.body, items]), KEPT)).toEqual([])
    expect(leaksInFolder(millrace.dataDir, KEPT)).toEqual([])
  })

  it('is listed by name, page by page', async () => {
    for (const name of ['page_c', 'page_a', 'page_b'])
      await connect({ kind: 'bearer', fields: { token: SECRET } }, name)
    const first = (await api('GET', '/connections?limit=1&cursor=page_a')).body
    expect(first).toMatchObject({ items: [{ name: 'page_b' }], nextCursor: 'page_b' })
    expect((await api('GET', '/connections?limit=1&cursor=page_b')).body.items[0].name).toBe('page_c')
  })

  it.each([
    [{ name: 'Shop' }, '/name'],
    [{ name: 'my-shop' }, '/name'],
    [{ name: '' }, '/name'],
    [{ kind: 'cookie' }, '/kind'],
    [{ fields: {} }, '/fields/token'],
    [{ fields: { token: 7 } }, '/fields/token'],
    [{ fields: { token: '' } }, '/fields/token'],
    [{ fields: { token: SECRET, tokn: SECRET } }, '/fields/tokn'],
    [{ hosts: ['https://api.example.com'] }, '/hosts/0'],
    [{ kind: 'basic', fields: { username: 'a:b' } }, '/fields/username'],
    [{ kind: 'apiKey', fields: { name: 'Host', value: SECRET } }, '/fields/name'],
    [{ kind: 'apiKey', fields: { name: 'k', value: SECRET, in: 'cookie' } }, '/fields/in'],
    [{ kind: 'custom', fields: { 'a-b': SECRET } }, '/fields/a-b'],
    [{ kind: 'oauth2', fields: { tokenUrl: 'https://id.example.com', clientId: 'x' } }, '/fields/authorizationUrl'],
    [
      {
        kind: 'oauth2',
        fields: { grant: 'client_credentials', tokenUrl: 'ftp://id', clientId: 'x', clientSecret: 'y' },
      },
      '/fields/tokenUrl',
    ],
  ])('is refused with a reason where it has %j', async (wrong, path) => {
    const { status, body } = await api('POST', '/connections', {
      name: 'refused',
      kind: 'bearer',
      fields: { token: SECRET },
      ...wrong,
    })
    expect(body).toMatchObject({ status: 'error', code: 'invalid_request', issues: [{ path }] })
    expect(status).toBe(400)
    expect(leaksOf(JSON.stringify(body), SECRET)).toEqual([])
    expect((await api('GET', '/connections/refused')).status).toBe(404)
  })

  it('keeps its name: a second one of it is refused, and so is another name', async () => {
    const name = await bearer()
    expect((await api('POST', '/connections', { name, kind: 'bearer', fields: { token: 'x' } })).status).toBe(409)
    expect((await api('PUT', `/connections/${name}`, { name: 'renamed', fields: {} })).status).toBe(400)
    expect((await api('PUT', '/connections/nothing_there', { fields: {} })).status).toBe(404)
    expect((await api('DELETE', '/connections/nothing_there')).status).toBe(404)
  })

  it('keeps secret fields and hosts that a change leaves out, and loses those that are null', async () => {
    const name = await connect({
      kind: 'custom',
      fields: { one: 'the-first', two: 'second' },
      hosts: ['a.example.com'],
    })
    const changed = await api('PUT', `/connections/${name}`, { fields: { two: null, three: 'third' } })
    expect(changed.body).toMatchObject({ secretFields: ['one', 'three'], hosts: ['a.example.com'] })
    const narrowed = await api('PUT', `/connections/${name}`, { hosts: ['a.example.com:8443'] })
    expect(narrowed.body).toMatchObject({ secretFields: ['one', 'three'], hosts: ['a.example.com:8443'] })
    const again = { fields: { one: 'the-first', three: 'third' }, hosts: [] }
    expect((await api('PUT', `/connections/${name}`, again)).body).toMatchObject({ hosts: [] })
    const { run } = await runSteps(
      call({ headers: [{ name: 'X', value: `{{ base64(connections.${name}.one + connections.${name}.three) }}` }] }),
    )
    expect(run.status).toBe('succeeded')
    expect(upstream.received.at(-1)!.headers['x']).toBe(Buffer.from('the-firstthird').toString('base64'))
  })

  it('keeps its fields when only its hosts change', async () => {
    const name = await connect({ kind: 'basic', fields: { username: 'ada', password: SECRET } })
    const changed = await api('PUT', `/connections/${name}`, { hosts: [hostOf(upstream)] })
    expect(changed.body).toMatchObject({ fields: { username: 'ada' }, secretFields: ['password'] })
    await api('DELETE', `/connections/${name}`)
  })

  it.each([
    ['another host', ['b.example.com']],
    ['one host more', ['a.example.com', 'b.example.com']],
    ['all hosts below it', ['*.example.com']],
    ['no limit', []],
  ])('asks for its secrets again when hosts would allow %s', async (_what, hosts) => {
    const name = await connect({ kind: 'custom', fields: { one: KEPT, two: KEPT }, hosts: ['a.example.com'] })
    const refused = await api('PUT', `/connections/${name}`, { hosts, fields: { two: 'another' } })
    expect(refused.status).toBe(400)
    expect(refused.body.issues).toMatchObject([{ path: '/fields/one', code: 'secret_needed' }])
    expect((await api('GET', `/connections/${name}`)).body.hosts).toEqual(['a.example.com'])
    const given = { hosts, fields: { one: KEPT, two: null } }
    expect((await api('PUT', `/connections/${name}`, given)).body).toMatchObject({ hosts, secretFields: ['one'] })
  })

  it.each(['tokenUrl', 'authorizationUrl'])('asks for its secret again when its %s changes', async (field) => {
    const fields = {
      authorizationUrl: 'https://id.example.com/a',
      tokenUrl: 'https://id.example.com/t',
      clientId: 'me',
    }
    const name = `endpoint_${field.toLowerCase()}`
    await api('POST', '/connections', { name, kind: 'oauth2', fields: { ...fields, clientSecret: KEPT } })
    const moved = { ...fields, [field]: 'https://evil.example.com/t' }
    const refused = await api('PUT', `/connections/${name}`, { fields: moved })
    expect(refused.status).toBe(400)
    expect(refused.body.message).toContain(`clientSecret has to be given again, because ${field} changes`)
    expect(refused.body.issues).toMatchObject([{ path: '/fields/clientSecret', code: 'secret_needed' }])
    expect((await api('PUT', `/connections/${name}`, { fields: { ...fields, scopes: 'a' } })).status).toBe(200)
    const given = await api('PUT', `/connections/${name}`, { fields: { ...moved, clientSecret: KEPT } })
    expect(given.body.fields).toMatchObject(moved)
  })

  it('forgets the secrets of its old kind when it gets another', async () => {
    const name = await bearer()
    const without = await api('PUT', `/connections/${name}`, { kind: 'apiKey', fields: { name: 'X-Key' } })
    expect(without.body).toMatchObject({ code: 'invalid_request', issues: [{ path: '/fields/value' }] })
    const fields = { name: 'X-Key', value: 'another-one' }
    expect((await api('PUT', `/connections/${name}`, { kind: 'apiKey', fields })).body.secretFields).toEqual(['value'])
  })
})

describe('a flow', () => {
  it('reads the fields of connections in any template, and its history hides them', async () => {
    const basic = await connect({ kind: 'basic', fields: { username: 'ada', password: SECRET } })
    const key = await connect({ kind: 'apiKey', fields: { name: 'X-Shop-Key', value: `${SECRET}2` } })
    const { flow, run } = await runSteps(
      call({
        method: 'POST',
        auth: {
          kind: 'basic',
          username: `{{ connections.${basic}.username }}`,
          password: `{{ connections.${basic}.password }}`,
        },
        headers: [{ name: 'X-Key', value: `{{ encodeURIComponent(connections.${key}.value) }}` }],
        query: [{ name: `{{ connections.${key}.name }}`, value: `{{ connections.${key}.value }}` }],
        body: { kind: 'json', value: { inner: [`<{{ connections.${basic}.password }}>`] } },
      }),
      { id: 'keep', kind: 'set', vars: { copy: `{{ connections.${basic}.password }}`, got: '{{ steps.call.body }}' } },
      call({ id: 'later', method: 'POST', body: { kind: 'text', value: '{{ vars.copy }}' } }),
    )
    expect(run.status).toBe('succeeded')
    const [first, later] = upstream.received.slice(-2)
    expect(first!.headers.authorization).toBe(`Basic ${Buffer.from(`ada:${SECRET}`).toString('base64')}`)
    expect(first!.headers['x-key']).toBe(encodeURIComponent(`${SECRET}2`))
    expect(new URL(first!.url, 'http://x').searchParams.get('X-Shop-Key')).toBe(`${SECRET}2`)
    expect(JSON.parse(first!.body)).toEqual({ inner: [`<${SECRET}>`] })
    expect(later!.body).toBe(SECRET)
    const tested = await api('POST', `/flows/${flow.id}/steps/call/test`, {})
    expect(tested.body.status).toBe('succeeded')
    expect(leaksOf(JSON.stringify([run, tested.body]) + millrace.log(), SECRET)).toEqual([])
    expect(leaksInFolder(millrace.dataDir, SECRET)).toEqual([])
  })

  it('uses a changed secret from the next step on, in runs under way too, and hides the old one still', async () => {
    const name = await connect({ kind: 'bearer', fields: { token: 'an-old-token' } })
    let release = () => {}
    const gate = await startUpstream((_request, response) => {
      release = () => response.end('{}')
    })
    const { post } = await millrace.publish(
      documentOf([
        call({ id: 'before', auth: { kind: 'bearer', token: `{{ connections.${name}.token }}` } }),
        { id: 'held', kind: 'http', method: 'GET', url: gate.url },
        call({
          id: 'after',
          auth: { kind: 'bearer', token: `{{ connections.${name}.token }}` },
          headers: [{ name: 'X-Old', value: '{{ steps.before.body.headers.authorization }}' }],
        }),
      ]),
    )
    const { id } = (await post({})).body
    await gate.count(1)
    expect((await api('PUT', `/connections/${name}`, { fields: { token: 'a-new-token' } })).status).toBe(200)
    release()
    const run = await millrace.runEnded(id)
    expect(run.status).toBe('succeeded')
    const { headers } = upstream.received.at(-1)!
    expect(headers.authorization).toBe('Bearer a-new-token')
    expect(headers['x-old']).toBe('Bearer an-old-token')
    for (const secret of ['an-old-token', 'a-new-token']) {
      expect(leaksOf(JSON.stringify(run), secret)).toEqual([])
      expect(leaksInFolder(millrace.dataDir, secret)).toEqual([])
    }
    await gate.close()
  })

  it('cannot be published while it names a connection or field that is not there', async () => {
    const name = await bearer()
    const created = await api(
      'POST',
      '/flows',
      documentOf([
        { id: 'a', kind: 'set', vars: { x: `{{ connections.${name}x.token }}`, y: `{{ connections.${name}.tokn }}` } },
      ]),
    )
    expectIssues(await api('POST', `/flows/${created.body.id}/publish`), [
      ['/steps/0/vars/x', 'unknown_connection'],
      ['/steps/0/vars/y', 'unknown_field'],
    ])
  })

  it('keeps the connections that it uses while it is published', async () => {
    const name = await connect({ kind: 'custom', fields: { a: 'first', b: 'second' } })
    const { flow } = await millrace.publish(
      documentOf([{ id: 'a', kind: 'set', vars: { x: `{{ connections.${name}.a }}` } }], {}, 'The user'),
    )
    const draft = (
      await api('POST', '/flows', documentOf([{ id: 'a', kind: 'set', vars: { x: `{{ connections.${name}.b }}` } }]))
    ).body
    expect((await api('GET', `/connections/${name}`)).body.usedBy).toEqual([
      { id: flow.id, name: 'The user' },
      { id: draft.id, name: 'Managed' },
    ])
    const refused = await api('DELETE', `/connections/${name}`)
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'conflict', issues: [{ path: `/flows/${flow.id}`, code: 'in_use', message: 'The user' }] },
    })
    expect(refused.body.message).toContain('The user')
    expect((await api('PUT', `/connections/${name}`, { fields: { a: null } })).status).toBe(409)
    expect((await api('PUT', `/connections/${name}`, { kind: 'bearer', fields: { token: 'x' } })).status).toBe(409)
    expect((await api('PUT', `/connections/${name}`, { fields: { b: null } })).status).toBe(200)

    await api('POST', `/flows/${flow.id}/unpublish`)
    expect((await api('DELETE', `/connections/${name}`)).status).toBe(204)
    expect((await api('GET', `/connections/${name}`)).status).toBe(404)
    expect((await api('POST', `/flows/${flow.id}/publish`)).body.issues).toMatchObject([{ code: 'unknown_connection' }])
  })

  it('takes the secret of its trigger from a connection, as it is at the moment', async () => {
    const name = await bearer()
    const auth = { kind: 'header', name: 'X-Key', value: `{{ encodeURIComponent(connections.${name}.token) }}` }
    const { flow, post } = await millrace.publish(documentOf([], { auth }))
    expect((await post({}, { 'X-Key': encodeURIComponent(SECRET) })).status).toBe(200)
    await api('PUT', `/connections/${name}`, { fields: { token: 'changed-since' } })
    expect((await post({}, { 'X-Key': encodeURIComponent(SECRET) })).status).toBe(401)
    expect((await post({}, { 'X-Key': 'changed-since' })).status).toBe(200)
    const { body } = await api('GET', `/flows/${flow.id}/deliveries`)
    expect(leaksOf(JSON.stringify(body), SECRET)).toEqual([])
  })
})

describe('hosts', () => {
  /** Builds a step that sends the text of the template at each place. */
  const PLACES: Record<string, (template: string) => object> = {
    auth: (token) => ({ auth: { kind: 'bearer', token } }),
    'a header': (token) => ({ headers: [{ name: 'X-Key', value: `key=${token}` }] }),
    'the query': (token) => ({ query: [{ name: 'key', value: token }] }),
    'the path': (token) => ({ url: `${other.url}/x/${token}` }),
    'a JSON body': (token) => ({ method: 'POST', body: { kind: 'json', value: { a: [{ b: `<${token}>` }] } } }),
    'a form': (token) => ({ method: 'POST', body: { kind: 'form', fields: [{ name: 'k', value: token }] } }),
    'a text': (token) => ({ method: 'POST', body: { kind: 'text', value: `x ${token}` } }),
    base64: (token) => ({ headers: [{ name: 'X-Key', value: token.replace(/{{(.*)}}/, '{{ base64("me:" + $1) }}') }] }),
    'Basic Auth': (password) => ({ auth: { kind: 'basic', username: 'me', password } }),
    'an API key in the query': (value) => ({ auth: { kind: 'apiKey', name: 'k', value, in: 'query' } }),
  }

  it.each(Object.entries(PLACES))('keep the secret in %s from another host', async (_place, sending) => {
    const secret = 'safe-t0ken+/=?x'
    const name = await connect({
      kind: 'bearer',
      fields: { token: secret },
      hosts: [hostOf(upstream), '*.example.com'],
    })
    const step = call({ url: `${other.url}/x`, ...sending(`{{ connections.${name}.token }}`) })
    const before = other.received.length
    const { flow, run } = await runSteps(step)
    expect(run.error).toMatchObject({ code: 'host_not_allowed', step: 'call' })
    expect(run.error!.hint).toContain('*.example.com')
    expect((await api('POST', `/flows/${flow.id}/steps/call/test`, {})).body.error.code).toBe('host_not_allowed')
    expect(other.received).toHaveLength(before)
    expect(leaksOf(JSON.stringify(run), secret)).toEqual([])

    await api('PUT', `/connections/${name}`, { hosts: [hostOf(other)], fields: { token: secret } })
    expect((await runSteps(step)).run.status).toBe('succeeded')
    expect(other.received).toHaveLength(before + 1)
    await api('PUT', `/connections/${name}`, { hosts: [], fields: { token: secret } })
  })

  it('keep a short secret that stands alone', async () => {
    const name = await connect({ kind: 'custom', fields: { pin: '4711' }, hosts: [hostOf(upstream)] })
    for (const settings of [
      { auth: { kind: 'bearer', token: `{{ connections.${name}.pin }}` } },
      { query: [{ name: 'pin', value: `{{ connections.${name}.pin }}` }] },
      { method: 'POST', body: { kind: 'json', value: { pin: `{{ connections.${name}.pin }}` } } },
    ])
      expect((await runSteps(call({ url: other.url, ...settings }))).run.error?.code).toBe('host_not_allowed')
  })

  it('let a request go that carries nothing of the connection', async () => {
    const name = await connect({ kind: 'bearer', fields: { token: 'a-token' }, hosts: [hostOf(upstream)] })
    const { run } = await runSteps(
      call({ auth: { kind: 'bearer', token: `{{ connections.${name}.token }}` } }),
      call({ id: 'free', url: other.url }),
    )
    expect(run.status).toBe('succeeded')
  })

  it('hold at redirects: what can be dropped is dropped, and what cannot does not go', async () => {
    const secret = 'redirected-t0ken'
    const name = await connect({ kind: 'bearer', fields: { token: secret }, hosts: [hostOf(upstream)] })
    const token = `{{ connections.${name}.token }}`
    const to = (status: number, url: string) => `${upstream.url}/to/${status}/${encodeURIComponent(url)}`
    const dropped = await runSteps(
      call({
        url: to(307, `${other.url}/dropped`),
        auth: { kind: 'bearer', token },
        headers: [{ name: 'X-Copy', value: token }],
      }),
    )
    expect(dropped.run.status).toBe('succeeded')
    expect(JSON.stringify(other.received.at(-1))).not.toContain(secret)

    const body = { kind: 'json', value: { token } }
    const before = other.received.length
    for (const status of [307, 308]) {
      const { run } = await runSteps(call({ method: 'POST', url: to(status, `${other.url}/body`), body }))
      expect(run.error?.code).toBe('host_not_allowed')
    }
    const inLocation = await runSteps(call({ url: to(302, `${other.url}/?k=${secret}`) }))
    expect(inLocation.run.error?.code).toBe('host_not_allowed')
    expect(other.received).toHaveLength(before)
    const asGet = await runSteps(call({ method: 'POST', url: to(303, `${other.url}/body`), body }))
    expect(asGet.run.status).toBe('succeeded')
  })
})
