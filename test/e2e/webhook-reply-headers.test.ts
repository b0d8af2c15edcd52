// Tests what a browser sees of a reply: its type, its policy, and the headers that a flow may set.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runsOf } from '../harness/inbox.ts'
import { type Answer, answerOf, type Millrace, type PublishedFlow, startMillrace } from '../harness/millrace.ts'
import { sendRaw } from '../harness/raw-request.ts'

let millrace: Millrace

beforeAll(async () => {
  millrace = await startMillrace()
})
afterAll(() => millrace.stop())

const flowWith = (trigger: object, steps: object[] = []): Promise<PublishedFlow> =>
  millrace.publish({ name: 'Replies', trigger: { kind: 'webhook', ...trigger }, steps })

const success = (id: unknown) => ({ status: 'success', message: 'Webhook received', id })

function expectSandbox({ headers }: Answer): void {
  expect(headers.get('content-security-policy')).toBe('sandbox')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
}

describe('types of replies', () => {
  const typed = (type: string, body: unknown) =>
    flowWith({ response: { headers: [{ name: 'Content-Type', value: type }], body } })

  it('sends text as it is under text/plain', async () => {
    const answer = await (await typed('text/plain; charset=utf-8', 'Hello {{ webhook.body.name }}')).post({ name: 'Ä' })
    expect(answer.body).toBe('Hello Ä')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })

  it('sends a JSON text under a JSON type', async () => {
    const answer = await (await typed('application/vnd.api+json', 'text')).post({})
    expect(answer.body).toBe('text')
    expect(answer.headers.get('content-type')).toMatch(/^application\/vnd\.api\+json/)
  })

  it.each([
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/xhtml+xml',
    'image/svg+xml',
    'text/xml',
    'text/plain',
    'text/x-anything; a="b;c"',
  ])('puts a page of type "%s" into a sandbox', async (type) => {
    const answer = await (await typed(type, '<script>alert(1)</script>')).post({})
    expectSandbox(answer)
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.body).toBe('<script>alert(1)</script>')
  })

  it.each([
    'text/plain;x=1, text/html',
    'text/plain,text/html',
    'application/json, text/html; charset=utf-8',
    'text/plain; x=", text/html"',
    'text/plain; x="\\", text/html"',
    'multipart/x-mixed-replace; boundary=a',
    'nonsense',
    'text/',
    'text/html\r\nX-Other: a',
    `text/html; x=${'y'.repeat(300)}`,
    '',
  ])('answers the default where the type comes out as "%s", and the log says so', async (type) => {
    const headers = [{ name: 'Content-Type', value: '{{ webhook.body.type }}' }]
    const body = '<script>alert(1)</script>'
    const respond = { id: 'page', kind: 'respond', status: 201, headers, body }
    const flows = [
      await flowWith({ response: { status: 201, headers, body } }),
      await flowWith({ response: { mode: 'finished', status: 201, headers, body } }),
      await flowWith({ response: { mode: 'finished' } }, [respond]),
    ]
    for (const { flow, post } of flows) {
      const answer = await post({ type })
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual(success((await runsOf(millrace, flow.id))[0]!.id))
      expectSandbox(answer)
      const logged = millrace.log().split('\n')
      expect(logged.some((line) => line.includes(flow.id) && line.includes('is not one media type'))).toBe(true)
    }
  })

  it('answers the default where two types are set, which publishing refuses where it sees them', async () => {
    const twice = (second: string) =>
      flowWith({
        response: {
          headers: ['Content-Type', second].map((name) => ({ name, value: 'text/html' })),
          body: '<script>alert(1)</script>',
        },
      })
    const { post } = await twice('{{ "content-type" }}')
    expect((await post({})).body).toEqual(success(expect.stringMatching(/^run_/)))
    await expect(twice('content-type')).rejects.toThrow('There is already a Content-Type; a reply has only one.')
  })

  it('puts every reply into a sandbox, those without a type and refusals too', async () => {
    const { flow, post } = await flowWith({})
    const target = `${millrace.url}/api/v1/webhooks/${flow.webhook.id}`
    expectSandbox(await post({}))
    expectSandbox(await post('{'))
    expectSandbox(await answerOf(await fetch(target)))
    expectSandbox(await answerOf(await fetch(`${millrace.url}/api/v1/webhooks/nobody`, { method: 'POST' })))
    expectSandbox(await answerOf(await fetch(`${target}/test`, { method: 'POST' })))
    expectSandbox(await (await flowWith({ response: { status: 204 } })).post({}))
    expectSandbox(await sendRaw(millrace.port, `POST ${new URL(target).pathname} HTTP/1.1\r\nbad header\r\n\r\n`))
  })
})

describe('headers of replies', () => {
  it.each([
    'Clear-Site-Data',
    'Report-To',
    'Reporting-Endpoints',
    'NEL',
    'Strict-Transport-Security',
    'Service-Worker-Allowed',
    'Content-Security-Policy',
    'Content-Security-Policy-Report-Only',
    'Access-Control-Allow-Credentials',
    'WWW-Authenticate',
    'Refresh',
    'Alt-Svc',
    'Permissions-Policy',
    'Cross-Origin-Opener-Policy',
    'Origin-Agent-Cluster',
    'Set-Cookie2',
    'Content-Encoding',
    'X-Frame-Options',
    'X-Accel-Redirect',
    'X-Content-Type-Options',
    'X-Forwarded-For',
    'X-Millrace-Hops',
    'Whatever',
  ])('has no header %s from a flow, and publishing says so', async (name) => {
    const headers = (given: string) => [{ name: given, value: 'theirs' }]
    for (const { post } of [
      await flowWith({ response: { headers: headers('{{ webhook.body.name }}') } }),
      await flowWith({ response: { mode: 'finished' } }, [
        { id: 'say', kind: 'respond', headers: headers('{{ webhook.body.name }}'), body: 'ok' },
      ]),
    ]) {
      const answer = await post({ name })
      expect(answer.status).toBe(200)
      expect(answer.headers.get(name) ?? '').not.toContain('theirs')
    }
    await expect(flowWith({ response: { headers: headers(name.toLowerCase()) } })).rejects.toThrow(
      `${name.toLowerCase()} cannot be set by a flow. Use a name that begins with X-, or one of Content-Type`,
    )
  })

  it('takes headers that name things for the caller', async () => {
    const given = {
      'content-language': 'de',
      'cache-control': 'no-store',
      etag: '"1"',
      link: '</next>; rel="next"',
      'retry-after': '5',
      'ratelimit-remaining': '3',
      'access-control-allow-origin': 'https://shop.example.com',
      'x-order': '7',
    }
    const headers = Object.entries(given).map(([name, value]) => ({ name, value }))
    const answer = await (await flowWith({ response: { headers } })).post({})
    for (const [name, value] of Object.entries(given)) expect(answer.headers.get(name)).toBe(value)
  })

  it.each([
    ['https://shop.example.com/thanks', true],
    ['/thanks', true],
    ['//shop.example.com/a:b', true],
    ['javascript:alert(1)', false],
    [' java\tscript:alert(1)', false],
    ['data:text/html,x', false],
  ])('sends a caller on to %s: %s', async (location, sent) => {
    const to = (value: string) =>
      flowWith({ response: { status: 303, headers: [{ name: 'Location', value }], body: null } })
    const redirect = { method: 'POST', headers: { 'content-type': 'application/json' }, redirect: 'manual' as const }
    const { flow } = await to('{{ webhook.body.to }}')
    const answer = await fetch(`${millrace.url}/api/v1/webhooks/${flow.webhook.id}`, {
      ...redirect,
      body: JSON.stringify({ to: location }),
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, sent ? location : null])
    if (!sent) await expect(to(location)).rejects.toThrow('A Location is a path, or a URL with http or https.')
  })
})
