// Tests that a value which a flow derives from a secret is secret too, although it looks different.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leaksInFolder } from '../harness/leaks.ts'
import { documentOf } from '../harness/management.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const SECRET = 'quixotic-zebra-4711'
const reversed = SECRET.split('').toReversed().join('')
const REVERSE = `connections.shop.token.split('').reverse().join('')`
const TOKEN = `{{ ${REVERSE} }}`

let allowed: Upstream
let other: Upstream
let millrace: Millrace
let api: Millrace['api']
beforeAll(async () => {
  // `/to/<status>/<url>` redirects; everything else echoes nothing.
  allowed = await startUpstream((request, response) => {
    const [, status, location] = /^\/to\/(\d+)\/([^?]+)/.exec(request.url) ?? []
    if (status) response.writeHead(Number(status), { location: decodeURIComponent(location!) })
    else response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"ok":true}')
  })
  other = await startUpstream()
  millrace = await startMillrace()
  api = millrace.api
  const hosts = [new URL(allowed.url).host]
  await api('POST', '/connections', { name: 'shop', kind: 'bearer', fields: { token: SECRET }, hosts })
})
afterAll(async () => {
  await millrace.stop()
  await allowed.close()
  await other.close()
})

const call = (url: string, more: object = {}) => ({ id: 'call', kind: 'http', method: 'POST', url, ...more })
const set = (vars: object, more: object = {}) => ({ id: 'made', kind: 'set', vars, ...more })
async function run(steps: object[], response: object = {}) {
  const { flow, post } = await millrace.publish(documentOf(steps, { response }))
  const answer = await post({})
  return { flow, answer, run: await millrace.runEnded(answer.body.id) }
}

describe('a request that carries what came of a secret', () => {
  it.each<[string, object[], object]>([
    ['the URL', [], { url: () => `${other.url}/${TOKEN}` }],
    ['the query', [], { query: [{ name: 'q', value: TOKEN }] }],
    ['a header', [], { headers: [{ name: 'X', value: TOKEN }] }],
    ['authentication', [], { auth: { kind: 'bearer', token: TOKEN } }],
    ['the body', [], { body: { kind: 'json', value: { deep: [TOKEN] } } }],
    ['a variable', [set({ x: TOKEN })], { query: [{ name: 'q', value: '{{ vars.x }}' }] }],
    [
      'the result of code',
      [{ id: 'c', kind: 'code', input: '{{ connections.shop.token }}', code: 'export default (x) => x.length' }],
      { query: [{ name: 'q', value: '{{ steps.c }}' }] },
    ],
    [
      'a stored key',
      [
        { id: 's', kind: 'store', op: 'set', key: 'k', value: TOKEN },
        { id: 'g', kind: 'store', op: 'get', key: 'k' },
      ],
      { query: [{ name: 'q', value: '{{ steps.g.value }}' }] },
    ],
  ])('goes to no other host, in %s', async (_where, before, settings) => {
    const { url, ...more } = settings as { url?: () => string }
    const received = other.received.length
    const { run: ended } = await run([...before, call(url?.() ?? other.url, more)])
    expect(ended.error).toMatchObject({ code: 'host_not_allowed', step: 'call' })
    expect(other.received).toHaveLength(received)
    expect((await run([...before, call(`${allowed.url}/${url ? TOKEN : ''}`, more)])).run.status).toBe('succeeded')
  })

  it('is not followed to another host with it, and loses the headers that hold it', async () => {
    const away = (status: number) => `${allowed.url}/to/${status}/${encodeURIComponent(other.url)}`
    const received = other.received.length
    const kept = await run([call(away(307), { body: { kind: 'text', value: TOKEN } })])
    expect(kept.run.error?.code).toBe('host_not_allowed')
    expect(other.received).toHaveLength(received)
    const dropped = await run([
      call(away(303), { body: { kind: 'text', value: TOKEN }, headers: [{ name: 'X-Derived', value: TOKEN }] }),
    ])
    expect(dropped.run.status).toBe('succeeded')
    expect(other.received.at(-1)!.headers['x-derived']).toBeUndefined()
  })
})

describe('a sender of guesses', () => {
  const guesses = Array.from({ length: 90 }, (_, i) => `quixotic-zebra-${4650 + i}`)

  it('learns nothing of a secret that the flow does not name', async () => {
    const { flow, post } = await millrace.publish(
      documentOf(
        [
          { id: 'says', kind: 'set', vars: { all: '{{ webhook.body }}' } },
          call(allowed.url, { headers: [{ name: 'X-Guess', value: '{{ webhook.body[61] }}' }] }),
          { id: 'no', kind: 'fail', message: "{{ webhook.body.join(' ') }}" },
        ],
        { response: { mode: 'finished' } },
      ),
    )
    const answer = await post(guesses)
    expect(answer.body.message).toBe(guesses.join(' '))
    const ended = await millrace.runEnded(answer.body.id)
    expect(ended.steps.map(({ id }) => id)).toEqual(['says', 'call', 'no'])
    await fetch(`${flow.webhook.url}/test`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(guesses),
    })
    const shown = [
      ended,
      (await api('GET', `/flows/${flow.id}/deliveries`)).body,
      (await api('GET', `/flows/${flow.id}/samples`)).body,
      (await api('POST', `/flows/${flow.id}/steps/says/test`, {})).body,
    ]
    const text = JSON.stringify(shown)
    expect(text).toContain(SECRET)
    expect(text).not.toContain('[secret]')
    expect(text).not.toContain('***')
  })

  it('is not told by the reply which of them is a secret of the flow', async () => {
    const { post } = await millrace.publish(
      documentOf(
        [
          call(allowed.url, { auth: { kind: 'bearer', token: '{{ connections.shop.token }}' } }),
          { id: 'no', kind: 'fail', message: "{{ webhook.body.join(' ') }}" },
        ],
        { response: { mode: 'finished' } },
      ),
    )
    const answer = await post(guesses)
    expect(answer.body.message).toBe(guesses.join(' '))
    // The run uses the secret, and so hides it.
    expect(JSON.stringify(await millrace.runEnded(answer.body.id))).not.toContain(SECRET)
  })
})

describe('what came of a secret', () => {
  it('is shown nowhere, and is there for later steps, also in a replay', async () => {
    const { flow, run: ended } = await run([
      set({ x: TOKEN, y: { z: [`at ${TOKEN}`] }, plain: 'to be seen' }),
      {
        id: 'c',
        kind: 'code',
        input: { secret: '{{ vars.x }}' },
        code: 'export default ({ secret }) => { console.log(secret); return { secret } }',
      },
      { id: 'each', kind: 'loop', each: '{{ [vars.x] }}', steps: [], collect: '{{ loop.item }}' },
      { id: 'kept', kind: 'store', op: 'set', key: 'k', value: TOKEN },
      call(`${allowed.url}/${TOKEN}/${'{{ steps.each.results[0] }}'}`, {
        query: [{ name: 'q', value: '{{ steps.c.secret }}' }],
        body: { kind: 'form', fields: [{ name: 'f', value: '{{ steps.kept.value }}' }] },
      }),
      { id: 'fails', kind: 'fail', message: 'because of {{ vars.x }}', onError: 'continue' },
      {
        id: 'throws',
        kind: 'code',
        input: '{{ vars.x }}',
        code: 'export default (x) => { throw new Error(x) }',
        onError: 'continue',
      },
    ])
    expect(ended.status).toBe('succeeded')
    const sent = allowed.received.at(-1)!
    expect(sent.url).toBe(`/${reversed}/${reversed}?q=${reversed}`)
    expect(sent.body).toBe(`f=${reversed}`)
    expect(ended.vars).toEqual({ x: '[secret]', y: { z: ['at [secret]'] }, plain: 'to be seen' })
    const step = (id: string) => ended.steps.find((one) => one.id === id)!
    expect(step('c')).toMatchObject({
      input: { input: { secret: '[secret]' } },
      output: '[secret]',
      logs: ['[secret]'],
    })
    expect(step('call').input).toMatchObject({ url: `${allowed.url}/[secret]/[secret]?q=[secret]`, body: 'f=[secret]' })
    expect(step('fails').error?.message).toBe('because of [secret]')

    const replay = await api('POST', `/runs/${ended.id}/replay`, { from: 'call' })
    const again = await millrace.runEnded(replay.body.id)
    expect(again.status).toBe('succeeded')
    expect(allowed.received.at(-1)!.url).toBe(sent.url)

    const tested = []
    for (const { id } of ended.steps) tested.push((await api('POST', `/flows/${flow.id}/steps/${id}/test`, {})).body)
    const shown = [ended, again, tested]
    for (const path of ['', '/har', '/fixture', '/steps?under=each'])
      shown.push((await api('GET', `/runs/${again.id}${path}`)).body)
    shown.push((await api('GET', `/flows/${flow.id}/test-results`)).body)
    expect(JSON.stringify(shown)).toContain('[secret]')
    expect(JSON.stringify(shown)).not.toContain(reversed)
    expect(millrace.log()).not.toContain(reversed)
    expect(leaksInFolder(millrace.dataDir, reversed)).toEqual([])
  })

  it.each<[string, object]>([
    ['a setting of another type', call('https://x.test', { timeout: TOKEN })],
    ['a host', call(`http://${TOKEN}.invalid`)],
    ['a URL that is none', call(TOKEN)],
    ['the name of a header', call('http://x.invalid', { headers: [{ name: `${TOKEN} `, value: 'x' }] })],
    ['a time', { id: 'call', kind: 'wait', until: TOKEN }],
    ['a key', { id: 'call', kind: 'store', op: 'increment', key: TOKEN, value: 'no number' }],
  ])('is not quoted by the error of %s', async (_what, step) => {
    await api('POST', '/connections', { name: 'free', kind: 'bearer', fields: { token: SECRET } })
    const steps = [JSON.parse(JSON.stringify(step).replaceAll('connections.shop', 'connections.free'))]
    const { answer, run: ended } = await run(steps, { mode: 'finished' })
    expect(ended.status).toBe('failed')
    expect(JSON.stringify([answer.body, ended])).not.toContain(reversed)
  })

  it('can be seen where the flow says so', async () => {
    const code = {
      id: 'c',
      kind: 'code',
      input: '{{ connections.shop.token }}',
      code: 'export default (x) => ({ length: x.length })',
      reveal: true,
    }
    const { answer, run: ended } = await run([code], {
      mode: 'finished',
      body: { id: '{{ run.id }}', n: '{{ steps.c.length }}' },
    })
    expect(answer.body).toMatchObject({ n: SECRET.length })
    expect(ended.steps[0]!.output).toEqual({ length: SECRET.length })
  })

  it('is known as such by a version of the flow that only reads it', async () => {
    const stores = documentOf([{ id: 's', kind: 'store', op: 'set', key: 'k', value: TOKEN }])
    const { flow, post } = await millrace.publish(stores)
    await millrace.runEnded((await post({})).body.id)
    const reads = async (more: object = {}) => {
      const steps = [{ id: 'g', kind: 'store', op: 'get', key: 'k', ...more }]
      await api('PUT', `/flows/${flow.id}`, documentOf(steps))
      expect((await api('POST', `/flows/${flow.id}/publish`)).status).toBe(200)
      return millrace.runEnded((await post({})).body.id)
    }
    expect((await reads()).error).toMatchObject({ code: 'stored_secret', step: 'g' })
    expect((await reads({ reveal: true })).steps[0]!.output).toEqual({ value: reversed })
  })
})
