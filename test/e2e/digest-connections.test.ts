// Tests connections of the kind digest. The server checks the answers by RFC 7616, with other code than Millrace's.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type DigestServer, defaults, startDigestServer } from '../harness/digest-server.ts'
import { leaksInFolder, leaksOf } from '../harness/leaks.ts'
import { callWith, connectionsOf, echo } from '../harness/made-connections.ts'
import { documentOf } from '../harness/management.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let millrace: Millrace
let api: Millrace['api']
let create: ReturnType<typeof connectionsOf>['create']
let runOf: ReturnType<typeof connectionsOf>['runOf']
beforeAll(async () => {
  millrace = await startMillrace()
  api = millrace.api
  ;({ create, runOf } = connectionsOf(millrace))
})
afterAll(() => millrace.stop())

describe('a server that wants Digest', () => {
  const PASSWORD = 'Circle of "Life", or ünot?'
  let server: DigestServer
  let other: Upstream
  beforeAll(async () => {
    other = await startUpstream()
    server = await startDigestServer('Mufasa', PASSWORD, (request, response) => {
      const to = new URL(request.url, 'http://x').searchParams.get('to')
      if (to === null) echo(request, response)
      else response.writeHead(307, { location: to }).end()
    })
  })
  afterEach(() => {
    server.habits = defaults()
    server.received.length = 0
    server.faults.length = 0
  })
  afterAll(async () => {
    await server.close()
    await other.close()
  })
  const digest = (hosts: string[] = []) => create('digest', { username: 'Mufasa', password: PASSWORD }, hosts)

  it.each([
    ['MD5', null, false],
    [null, null, false],
    [null, 'auth', false],
    ['MD5', 'auth', false],
    ['MD5-sess', 'auth', false],
    ['SHA-256', 'auth,auth-int', false],
    ['SHA-256-sess', 'auth', false],
    ['SHA-512-256', 'auth', true],
    ['SHA-256', 'auth-int', false],
    ['MD5-sess', 'auth-int', true],
  ])('accepts the answer by %s with the quality %s', async (algorithm, qop, userhash) => {
    server.habits = { ...defaults(), algorithm, qop, userhash }
    const body = { kind: 'json', value: { text: '{{ webhook.body.text }}' } }
    const run = await runOf(
      callWith(await digest(), `${server.url}/a b?x=1&y=%20`.replace(' ', '%20'), { method: 'POST', body }),
    )
    expect(run).toMatchObject({ status: 'succeeded' })
    expect(server.faults).toEqual([])
    expect(server.received.map(({ headers }) => headers.authorization === undefined)).toEqual([true, false])
    expect(server.received.at(-1)!.body).toBe('{"text":"ü"}')
  })

  it('is asked once, and then answered at once, until it forgets its nonce', async () => {
    const name = await digest()
    const url = `${server.url}/items`
    await runOf(callWith(name, url), callWith(name, url, { id: 'two' }), callWith(name, url, { id: 'three' }))
    expect(server.received).toHaveLength(4)
    expect(server.received.at(-1)!.headers.authorization).toContain('nc=00000003')
    server.forget()
    expect(await runOf(callWith(name, url))).toMatchObject({ status: 'succeeded' })
    expect(server.received).toHaveLength(6)
    expect(server.faults).toEqual(['stale'])
  })

  it('may use up a nonce with each request, and name the next one', async () => {
    server.habits = { ...defaults(), usesPerNonce: 1 }
    const name = await digest()
    const steps = () => [callWith(name, server.url), callWith(name, server.url, { id: 'two' })]
    expect(await runOf(...steps())).toMatchObject({ status: 'succeeded' })
    expect(server.faults).toEqual(['stale'])
    expect(server.received).toHaveLength(4)
    server.habits = { ...server.habits, namesNext: true }
    await runOf(callWith(name, server.url))
    server.received.length = 0
    expect(await runOf(...steps())).toMatchObject({ status: 'succeeded' })
    expect(server.received).toHaveLength(2)
  })

  it('counts strictly, and still accepts each of many requests at once', async () => {
    const { post } = await millrace.publish(documentOf([callWith(await digest(), server.url)]))
    const posted = await Promise.all(Array.from({ length: 30 }, () => post({})))
    const runs = []
    for (const { body } of posted) runs.push(await millrace.runEnded(body.id))
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['succeeded']))
  })

  it('offers weaker ways and other ways, of which the strongest is taken', async () => {
    const beside = ['Basic realm="b"', 'Digest realm="weak", nonce="n", algorithm=MD5, qop="auth", Negotiate YII/+==']
    server.habits = { ...defaults(), beside }
    expect(await runOf(callWith(await digest(), server.url))).toMatchObject({ status: 'succeeded' })
    expect(server.received).toHaveLength(2)
  })

  it('refuses a wrong password after one answer, which counts as one try', async () => {
    const name = await create('digest', { username: 'Mufasa', password: 'wrong-one' })
    const run = await runOf(callWith(name, server.url, { retry: { attempts: 2, delay: 0, on: ['4xx'] } }))
    expect(run).toMatchObject({ status: 'failed', error: { code: 'http_401' } })
    expect(server.faults.every((fault) => fault === 'wrong response')).toBe(true)
    expect(server.received.map(({ headers }) => headers.authorization !== undefined)).toEqual([
      false,
      true,
      false,
      true,
    ])
  })

  it('gets a large body once, and with the answer', async () => {
    const body = { kind: 'text', value: 'x'.repeat(200_000) }
    const run = await runOf(callWith(await digest(), server.url, { method: 'PUT', body }))
    expect(run).toMatchObject({ status: 'succeeded' })
    expect(server.received.map(({ method, body: { length } }) => [method, length])).toEqual([
      ['HEAD', 0],
      ['PUT', 200_000],
    ])
  })

  it('redirects within itself, where each request is signed, and elsewhere, where none is', async () => {
    const name = await digest()
    expect(await runOf(callWith(name, `${server.url}/from?to=/there%3Fx=1`))).toMatchObject({ status: 'succeeded' })
    expect(server.faults).toEqual([])
    const run = await runOf(callWith(name, `${server.url}/from?to=${encodeURIComponent(other.url)}`))
    expect(run).toMatchObject({ status: 'succeeded' })
    expect(other.received.at(-1)!.headers.authorization).toBeUndefined()
  })

  it('gets nothing where the connection does not allow its host', async () => {
    const run = await runOf(callWith(await digest(['api.example.com']), server.url))
    expect(run).toMatchObject({ status: 'failed', error: { code: 'host_not_allowed' } })
    expect(server.received).toEqual([])
  })

  it('sends an answer back, which no one sees in the run', async () => {
    const run = await runOf(callWith(await digest(), server.url))
    const answer = /response="(\w+)"/.exec(server.received.at(-1)!.headers.authorization!)![1]!
    const shown = JSON.stringify((await api('GET', `/runs/${run.id}`)).body)
    expect(shown).toContain('Digest ***')
    for (const secret of [answer, PASSWORD]) expect(leaksOf(shown + millrace.log(), secret)).toEqual([])
    expect(leaksInFolder(millrace.dataDir, PASSWORD)).toEqual([])
  })

  it('proves a test of the connection', async () => {
    const { body } = await api('POST', `/connections/${await digest()}/test`, { url: `${server.url}/me` })
    expect(body).toMatchObject({ verdict: 'accepted', status: 200 })
  })
})
