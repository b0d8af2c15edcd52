// Tests a canary in every kind of connection, and a failure at every phase of a request: the canary appears nowhere.
import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACCESS } from '../../src/http/access/access.ts'
import { openEvents } from '../harness/event-stream.ts'
import { freePort, NOBODY_LISTENS } from '../harness/free-port.ts'
import { startGate } from '../harness/gate.ts'
import { leaksInFolder, leaksOf } from '../harness/leaks.ts'
import { documentOf } from '../harness/management.ts'
import {
  type Client,
  type Millrace,
  spawnMillrace,
  startMillrace,
  TOKEN,
  temporaryFolder,
} from '../harness/millrace.ts'
import { type OddServer, startOddServer } from '../harness/odd-token-server.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const TOO_LARGE = 10_485_761

/** Sends back all that it receives; the path says how. */
let upstream: Upstream
let other: Upstream
let odd: OddServer
let tls: ReturnType<typeof createServer>
let tlsUrl: string
let refusedPort: number
let millrace: Millrace
beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    const echo = JSON.stringify([request.rawHeaders, request.url, request.body])
    const [, way] = /^\/(\w+)/.exec(request.url) ?? []
    const headers = { 'content-type': 'application/json', 'x-echo': encodeURIComponent(echo).slice(0, 4000) }
    if (way === 'hang') return
    if (way === 'large') {
      response.writeHead(200, { ...headers, 'content-length': TOO_LARGE })
      response.end(echo.padEnd(TOO_LARGE))
      return
    }
    if (way === 'redirect') {
      response.writeHead(307, { location: `${other.url}/?${encodeURIComponent(echo)}` })
      response.end()
      return
    }
    response.writeHead(Number(/\d+/.exec(way ?? '')?.[0] ?? 200), headers)
    response.end(echo)
  })
  other = await startUpstream((request, response) => {
    response.writeHead(404, { 'x-echo': encodeURIComponent(request.url).slice(0, 4000) })
    response.end(request.url)
  })
  odd = await startOddServer()
  const certificates = new URL('../../src/outbound/certificates.testkit/', import.meta.url)
  const pem = (name: string) => readFileSync(new URL(`${name}.pem`, certificates), 'utf8')
  tls = createServer({ key: pem('key'), cert: pem('self-signed') })
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve))
  tlsUrl = `https://127.0.0.1:${(tls.address() as AddressInfo).port}`
  refusedPort = NOBODY_LISTENS
  millrace = await startMillrace()
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
  await other.close()
  await odd.close()
  tls.close()
})

const PHASES: Record<string, () => [url: string, code: string]> = {
  dns: () => ['http://nowhere.invalid/', 'dns_failed'],
  refused: () => [`http://127.0.0.1:${refusedPort}/`, 'connection_refused'],
  tls: () => [tlsUrl, 'ssl_certificate'],
  timeout: () => [`${upstream.url}/hang`, 'connection_timeout'],
  bad: () => [`${upstream.url}/s400`, 'http_400'],
  denied: () => [`${upstream.url}/s401`, 'http_401'],
  broken: () => [`${upstream.url}/s500`, 'http_500'],
  redirect: () => [`${upstream.url}/redirect`, 'http_404'],
  large: () => [`${upstream.url}/large`, 'response_too_large'],
  blocked: () => ['http://10.0.0.1/', 'blocked_address'],
}

const CANARY = `c4n4ry 's"cret'/+?=\\ü`
const NAMES: Record<string, { kind: string; fields: object; use(name: string): object; secrets(): string[] }> = {
  basic: {
    kind: 'basic',
    fields: { username: 'ada', password: CANARY },
    use: (name) => ({
      auth: {
        kind: 'basic',
        username: `{{ connections.${name}.username }}`,
        password: `{{ connections.${name}.password }}`,
      },
    }),
    secrets: () => [CANARY],
  },
  bearer: {
    kind: 'bearer',
    fields: { token: CANARY },
    use: (name) => ({ auth: { kind: 'bearer', token: `{{ connections.${name}.token }}` } }),
    secrets: () => [CANARY],
  },
  api_key: {
    kind: 'apiKey',
    fields: { name: 'X-Key', value: CANARY },
    use: (name) => ({
      auth: { kind: 'apiKey', name: `{{ connections.${name}.name }}`, value: `{{ connections.${name}.value }}` },
    }),
    secrets: () => [CANARY],
  },
  query_key: {
    kind: 'apiKey',
    fields: { name: 'key', value: CANARY, in: 'query' },
    use: (name) => ({ auth: { kind: 'apiKey', name: 'key', value: `{{ connections.${name}.value }}`, in: 'query' } }),
    secrets: () => [CANARY],
  },
  custom: {
    kind: 'custom',
    fields: { one: CANARY, two: `${CANARY}2` },
    use: (name) => ({
      headers: [{ name: 'X-Both', value: `{{ base64(connections.${name}.one + ':' + connections.${name}.two) }}` }],
      query: [{ name: 'one', value: `{{ connections.${name}.one }}` }],
      method: 'POST',
      body: { kind: 'form', fields: [{ name: 'two', value: `{{ connections.${name}.two }}` }] },
    }),
    secrets: () => [CANARY, `${CANARY}2`],
  },
  whole_key: {
    kind: 'apiKey',
    fields: { name: 'key', value: CANARY, in: 'query' },
    use: (name) => ({ auth: { kind: 'connection', connection: name } }),
    secrets: () => [CANARY],
  },
  digest: {
    kind: 'digest',
    fields: { username: 'ada', password: CANARY },
    use: (name) => ({ auth: { kind: 'connection', connection: name } }),
    secrets: () => [CANARY],
  },
  aws: {
    kind: 'aws',
    fields: {
      accessKeyId: 'AKID',
      secretAccessKey: CANARY,
      sessionToken: 's3ssion/t0ken+x==',
      region: 'r',
      service: 's3',
    },
    use: (name) => ({ auth: { kind: 'connection', connection: name } }),
    secrets: () => [CANARY, 's3ssion/t0ken+x=='],
  },
  machine: {
    kind: 'oauth2',
    fields: {},
    use: (name) => ({
      auth: { kind: 'oauth2', connection: name },
      headers: [
        { name: 'X-Copy', value: `{{ connections.${name}.accessToken }}.{{ connections.${name}.clientSecret }}` },
      ],
    }),
    secrets: () => [...odd.issued, (odd.fields() as { clientSecret: string }).clientSecret],
  },
}

/** Returns every reply that a GET request can get, on every route that ends by itself. */
async function everyReply(client: Client, ids: Record<string, string>): Promise<string> {
  const paths = Object.keys(ACCESS)
    .filter((route) => route.startsWith('GET /') && !/\/(events|listen)$/.test(route))
    .map((route) =>
      route.slice(4).replaceAll(/(\w+)\/:(\w+)/g, (_, of, name) => `${of}/${ids[`${of}/${name}`] ?? '1'}`),
    )
  const replies = paths.map(async (path) => {
    const reply = await fetch(client.url + path, { headers: { authorization: `Bearer ${TOKEN}` } })
    return `${path} ${JSON.stringify([...reply.headers])} ${await reply.text()}`
  })
  return (await Promise.all(replies)).join('\n')
}

describe('a canary', { timeout: 60_000 }, () => {
  it.each(Object.entries(NAMES))('of the kind %s', async (name, { kind, fields, use, secrets }) => {
    const given = kind === 'oauth2' ? odd.fields('client_credentials') : fields
    const created = await millrace.api('POST', '/connections', { name, kind, fields: given })
    expect(created.status).toBe(201)
    const phases = Object.entries(PHASES).map(([id, phase]) => [id, ...phase()] as const)
    const step = (id: string, url: string) => ({
      id,
      kind: 'http',
      method: 'GET',
      ...use(name),
      url,
      timeout: id === 'timeout' ? 0.3 : 20,
      onError: 'continue',
    })
    const { flow, post } = await millrace.publish(
      documentOf(
        [
          ...phases.map(([id, url]) => step(id, url)),
          { id: 'log', kind: 'set', vars: Object.fromEntries(phases.map(([id]) => [id, `{{ steps.${id} }}`])) },
          { id: 'end', kind: 'fail', message: '{{ JSON.stringify(vars) }}' },
        ],
        { response: { mode: 'finished', timeout: 60 } },
      ),
    )
    const events = await openEvents(`${millrace.url}/api/v1/flows/${flow.id}/events`)
    const answer = await post({})
    const ended = await events.next(({ type, data }) => type === 'run' && data.status === 'failed')
    await events.close()
    const run = await millrace.run(ended.data.id)
    expect(run.steps.slice(0, phases.length).map(({ id, error }) => [id, error?.code])).toEqual(
      phases.map(([id, , code]) => [id, code]),
    )
    const tested: unknown[] = []
    for (const [id] of phases) tested.push((await millrace.api('POST', `/flows/${flow.id}/steps/${id}/test`, {})).body)

    // From now on the connection may be sent to one host only.
    expect((await millrace.api('PUT', `/connections/${name}`, { hosts: ['api.example.com'] })).status).toBe(200)
    const refused = await millrace.publish(documentOf([step('call', `${upstream.url}/x`)]))
    const before = upstream.received.length
    const kept = await millrace.runEnded((await refused.post({})).body.id)
    expect(kept.steps[0]!.error?.code).toBe('host_not_allowed')
    expect(upstream.received).toHaveLength(before)

    const ids = {
      'flows/id': flow.id,
      'steps/stepId': phases[0]![0],
      'runs/id': run.id,
      'connections/name': name,
      'versions/version': '1',
    }
    const shown = [answer.body, ended, tested, kept].map((one) => JSON.stringify(one))
    const everything = [...shown, await everyReply(millrace, ids), millrace.log()].join('\n')
    expect(everything).toContain('[secret]')
    for (const secret of secrets()) {
      expect(leaksOf(everything, secret)).toEqual([])
      expect(leaksInFolder(millrace.dataDir, secret)).toEqual([])
    }
    expect((await millrace.api('PUT', `/connections/${name}`, { fields: given, hosts: [] })).status).toBe(200)
  })

  it('of a token endpoint that fails in every way', async () => {
    const secret = 'c4n4ry-of-the-client'
    const echo = {
      error: 'invalid_client',
      error_description: `${secret} ${Buffer.from(`x:${secret}`).toString('base64')}`,
    }
    const endpoints = {
      dns: { tokenUrl: 'http://nowhere.invalid/' },
      refused: { tokenUrl: `http://127.0.0.1:${refusedPort}/` },
      tls: { tokenUrl: tlsUrl },
      blocked: { tokenUrl: 'http://10.0.0.1/' },
      broken: { tokenUrl: `${upstream.url}/s500` },
      echoing: { tokenUrl: `${odd.url}/token` },
      redirect: { tokenUrl: `${upstream.url}/redirect` },
      nonsense: { tokenUrl: `${upstream.url}/s200` },
    }
    odd.habits.failure = { status: 401, body: echo }
    const fields = { ...odd.fields('client_credentials'), clientSecret: secret }
    const steps = Object.entries(endpoints).map(([id, more]) => ({ id, fields: { ...fields, ...more } }))
    for (const { id, fields: given } of steps)
      await millrace.api('POST', '/connections', { name: `endpoint_${id}`, kind: 'oauth2', fields: given })
    const { flow, post } = await millrace.publish(
      documentOf(
        steps.map(({ id }) => ({
          id,
          kind: 'http',
          method: 'GET',
          url: upstream.url,
          auth: { kind: 'oauth2', connection: `endpoint_${id}` },
          onError: 'continue',
        })),
      ),
    )
    const run = await millrace.runEnded((await post({})).body.id)
    odd.habits.failure = null
    expect(Object.fromEntries(run.steps.map(({ id, error }) => [id, error?.code]))).toEqual({
      dns: 'token_unavailable',
      refused: 'token_unavailable',
      tls: 'token_unavailable',
      blocked: 'connection_unauthorized',
      broken: 'token_unavailable',
      echoing: 'connection_unauthorized',
      redirect: 'connection_unauthorized',
      nonsense: 'connection_unauthorized',
    })
    const ids = { 'flows/id': flow.id, 'runs/id': run.id, 'connections/name': 'endpoint_echoing' }
    const everything = (await everyReply(millrace, ids)) + millrace.log()
    expect(everything).toContain('[secret]')
    expect(leaksOf(everything, secret)).toEqual([])
    expect(leaksInFolder(millrace.dataDir, secret)).toEqual([])
  })

  it('that was changed while a run held it, across kill -9', async () => {
    const [old, next] = ['c4n4ry-before-the-change', 'c4n4ry-after-the-change']
    const gate = await startGate()
    const dataDir = temporaryFolder()
    const port = await freePort()
    const first = await spawnMillrace(dataDir, port)
    await first.api('POST', '/connections', { name: 'shop', kind: 'bearer', fields: { token: old } })
    const { flow, post } = await first.publish(
      documentOf([
        { id: 'copy', kind: 'set', vars: { token: '{{ connections.shop.token }}' } },
        { id: 'held', kind: 'http', method: 'GET', url: gate.url },
        {
          id: 'later',
          kind: 'http',
          method: 'POST',
          url: `${upstream.url}/s200`,
          auth: { kind: 'bearer', token: '{{ connections.shop.token }}' },
          body: { kind: 'text', value: '{{ vars.token }}' },
        },
        { id: 'end', kind: 'fail', message: 'had {{ vars.token }}' },
      ]),
    )
    const { id } = (await post({})).body
    await gate.count(1)
    await first.api('PUT', '/connections/shop', { fields: { token: next } })
    first.child.kill('SIGKILL')
    await first.exited

    gate.open()
    const second = await spawnMillrace(dataDir, port)
    const run = await second.runEnded(id)
    expect(upstream.received.at(-1)).toMatchObject({ body: old, headers: { authorization: `Bearer ${next}` } })
    expect(run.error).toMatchObject({ code: 'failed', message: 'had [secret]' })
    const replayed = (await second.api('POST', `/runs/${id}/replay`, { from: 'later' })).body.id
    await second.runEnded(replayed)
    expect(upstream.received.at(-1)!.body).toBe(old)
    const shown = await everyReply(second, { 'flows/id': flow.id, 'runs/id': replayed })
    second.child.kill('SIGTERM')
    expect(await second.exited).toBe(0)
    for (const secret of [old, next]) {
      expect(leaksOf(JSON.stringify(run) + shown + first.output() + second.output(), secret)).toEqual([])
      expect(leaksInFolder(dataDir, secret)).toEqual([])
    }
    await gate.close()
    rmSync(dataDir, { recursive: true })
  })
})
