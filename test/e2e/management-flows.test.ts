// Tests flows over the API: saving, versions and publishing: docs/api.md#flows
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../harness/inbox.ts'
import { call, documentOf, expectIssues, held, ISO, type Managed, startManaged } from '../harness/management.ts'
import { type Answer, TOKEN } from '../harness/millrace.ts'
import { connectRaw, requestBytes } from '../harness/raw-request.ts'

let managed: Managed
let millrace: Managed['millrace']
let gate: Managed['gate']
let api: Managed['api']
let create: Managed['create']
beforeAll(async () => {
  managed = await startManaged()
  ;({ millrace, gate, api, create } = managed)
})
afterAll(() => managed.stop())

describe('flows', () => {
  it('are created as drafts, read, replaced, listed and deleted', async () => {
    const document = documentOf([call])
    const created = await api('POST', '/flows', document)
    expect(created.status).toBe(201)
    const { id, webhook } = created.body
    expect(created.body).toEqual({
      id: expect.stringMatching(/^flow_/),
      name: 'Managed',
      slug: null,
      status: 'draft',
      tags: [],
      trigger: 'webhook',
      revision: 1,
      webhook: {
        id: expect.stringMatching(/^[A-Za-z0-9_-]{32}$/),
        url: `http://localhost:${millrace.port}/api/v1/webhooks/${webhook.id}`,
        testUrl: `http://localhost:${millrace.port}/api/v1/webhooks/${webhook.id}/test`,
      },
      draft: document,
      published: null,
      createdAt: expect.stringMatching(ISO),
      updatedAt: expect.stringMatching(ISO),
      updatedBy: 'admin token',
      paused: null,
    })
    expect((await api('GET', `/flows/${id}`)).body).toEqual(created.body)
    const renamed = { ...document, name: 'Renamed' }
    const replaced = await api('PUT', `/flows/${id}`, renamed)
    expect(replaced.status).toBe(200)
    expect(replaced.body).toMatchObject({ id, name: 'Renamed', revision: 2, draft: renamed, status: 'draft', webhook })
    const listed = (await api('GET', '/flows')).body
    expect(listed.items[0]).toEqual(replaced.body)
    const deleted = await api('DELETE', `/flows/${id}`)
    expect([deleted.status, deleted.body]).toEqual([204, ''])
    for (const method of ['GET', 'DELETE']) expectFailure(await api(method, `/flows/${id}`), 404, 'not_found')
    expectFailure(await api('PUT', `/flows/${id}`, document), 404, 'not_found')
  })

  it('pass through the list page by page, newest first', async () => {
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.unshift((await create()).id)
    const seen: string[] = []
    let cursor: string | null = ''
    while (seen.length < 5) {
      const page: Answer = await api('GET', `/flows?limit=2${cursor && `&cursor=${cursor}`}`)
      expect(page.body.items.length).toBeLessThanOrEqual(2)
      seen.push(...page.body.items.map(({ id }: { id: string }) => id))
      cursor = page.body.nextCursor
    }
    expect(seen.slice(0, 5)).toEqual(ids)
    const all = (await api('GET', '/flows?limit=200')).body
    expect(all.nextCursor).toBeNull()
  })

  it('refuse a stale revision with 412, and change nothing', async () => {
    const { id } = await create()
    const put = (ifMatch: string, name: string) =>
      api('PUT', `/flows/${id}`, documentOf([], {}, name), { 'if-match': ifMatch })
    expect((await put('1', 'Second')).body.revision).toBe(2)
    expectFailure(await put('1', 'Lost'), 412, 'revision_conflict')
    expect((await api('GET', `/flows/${id}`)).body).toMatchObject({ revision: 2, name: 'Second' })
    expect((await put('"2"', 'Third')).body.revision).toBe(3)
    expect((await put('*', 'Fourth')).body.revision).toBe(4)
    expectFailure(await put('abc', 'No'), 400, 'invalid_request')
  })

  it('let exactly one of many concurrent writers of one revision through', async () => {
    const { id } = await create()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        api('PUT', `/flows/${id}`, documentOf([], {}, `W${i}`), { 'if-match': '1' }),
      ),
    )
    const counts = (status: number) => answers.filter((answer) => answer.status === status).length
    expect([counts(200), counts(412)]).toEqual([1, 9])
  })

  it('give back a document exactly as it was saved, in JSON and in YAML', async () => {
    const document = documentOf(
      [
        {
          id: 'keep',
          kind: 'set',
          vars: { empty: {}, list: [1, null, true, 'a: b', '{{ webhook.body }}'], 'a/b~c': 'x\ny' },
        },
      ],
      { response: { mode: 'finished', body: 'línea {{ "}}" }}' } },
    )
    expect((await api('POST', '/flows', document)).body.draft).toEqual(document)
    const yaml = [
      'name: From YAML # a comment',
      'trigger: { kind: webhook, auth: { kind: none } }',
      'steps:',
      '  - id: tell',
      '    kind: http',
      '    method: POST',
      '    url: https://api.example.com/{{ webhook.body.id }}',
      '    body:',
      '      kind: text',
      '      value: |',
      '        line one',
      '        line two',
    ].join('\n')
    const created = await api('POST', '/flows', yaml, { 'content-type': 'application/yaml' })
    expect(created.status).toBe(201)
    expect(created.body.draft.steps[0].body.value).toBe('line one\nline two\n')
    const changed = yaml.replace('From YAML', 'Changed')
    const replaced = await api('PUT', `/flows/${created.body.id}`, changed, {
      'content-type': 'text/yaml; charset=utf-8',
    })
    expect(replaced.body.name).toBe('Changed')
  })

  it.each([
    ['broken YAML', 'name: [', 400, 'invalid_request'],
    ['a duplicate key', 'name: a\nname: b', 400, 'invalid_request'],
    [
      'an alias bomb',
      `a: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
        .split('')
        .map((k, i) => `${k}: &${k} [${Array(10).fill(`*${'abcdefg'[i]}`).join(',')}]`)
        .join('\n')}`,
      400,
      'invalid_request',
    ],
    ['a document that contains itself', 'steps: &a [*a]', 400, 'invalid_request'],
    ['an object that contains itself', '&a\nname: x\ntrigger: *a', 400, 'invalid_request'],
    ['deep nesting', `name: ${'['.repeat(3000)}${']'.repeat(3000)}`, 400, 'invalid_request'],
  ])('refuse %s', async (_what, yaml, status, code) => {
    expectFailure(await api('POST', '/flows/validate', yaml, { 'content-type': 'application/yaml' }), status, code)
  })
})

describe('a large request', () => {
  const validate = (text: string) => api('POST', '/flows/validate', text, { 'content-type': 'application/json' })
  const large = JSON.stringify(documentOf([{ id: 'note', kind: 'set', vars: { text: 'x'.repeat(100_000) } }]))

  it('is read as a small one is', async () => {
    const valid = await validate(large)
    expect([valid.status, valid.body]).toEqual([200, { issues: [], warnings: [] }])
  })

  it.each([
    ['no JSON', () => `${large}}`, 'The body is not valid JSON.'],
    ['too deep', () => `${'['.repeat(40_000)}${']'.repeat(40_000)}`, 'The JSON is nested more than 250 levels deep.'],
  ])('is refused if it is %s', async (_what, text, message) => {
    const refused = await validate(text())
    expectFailure(refused, 400, 'invalid_request')
    expect(refused.body.message).toBe(message)
  })
})

describe('what cannot be saved', () => {
  it('is told with JSON Pointers, every problem at once', async () => {
    const document = {
      name: 5,
      trigger: { kind: 'webhook', auth: { kind: 'heder' }, response: { mode: 'later' }, extra: 1 },
      steps: [
        { id: 'a', kind: 'htpp' },
        { id: 'b', kind: 'http', method: 'FETCH', url: 7, 'odd/k~y': 1 },
        'text',
        { id: 'c', kind: 'branch', cases: [{ when: 'x', steps: [{ id: 'd', kind: 'set', vars: [] }] }] },
      ],
      more: true,
    }
    const issues: [string, string][] = [
      ['/name', 'wrong_type'],
      ['/more', 'unknown_key'],
      ['/trigger/auth/kind', 'unknown_kind'],
      ['/trigger/response/mode', 'unknown_value'],
      ['/trigger/extra', 'unknown_key'],
      ['/steps/0/kind', 'unknown_kind'],
      ['/steps/1/method', 'unknown_value'],
      ['/steps/1/url', 'wrong_type'],
      ['/steps/1/odd~1k~0y', 'unknown_key'],
      ['/steps/2', 'wrong_type'],
      ['/steps/3/cases/0/steps/0/vars', 'wrong_type'],
    ]
    expectIssues(await api('POST', '/flows', document), issues)
    const { id } = await create()
    expectIssues(await api('PUT', `/flows/${id}`, document), issues)
    expect((await api('GET', `/flows/${id}`)).body.revision).toBe(1)
  })

  it.each([
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"flow"'],
    ['a number', '1'],
  ])('is %s', async (_what, body) => {
    expectIssues(await api('POST', '/flows', body), [['', 'wrong_type']])
  })

  it.each([
    ['invalid JSON', '{', {}],
    ['an empty body', '', {}],
    ['another content type', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a malformed content type', '{}', { 'content-type': 'nonsense' }],
    ['100,000 levels', `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, {}],
    [
      '5,000 levels inside a step',
      `{"name":"a","trigger":{"kind":"webhook"},"steps":[{"id":"a","kind":"set","vars":{"v":${'['.repeat(5000)}${']'.repeat(5000)}}}]}`,
      {},
    ],
  ])('is %s', async (_what, body, headers) => {
    expectFailure(await api('POST', '/flows', body, headers as Record<string, string>), 400, 'invalid_request')
  })

  it('is a prototype in disguise', async () => {
    const answer = await api('POST', '/flows', '{"name":"a","__proto__":{"polluted":1}}')
    expect(answer).toMatchObject({ status: 422, body: { issues: [{ path: '/__proto__', code: 'unknown_key' }] } })
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  it('is a body that ends early; no fault of the service is logged', async () => {
    const connection = await connectRaw(millrace.port)
    const headers = [`Authorization: Bearer ${TOKEN}`, 'Content-Length: 100']
    connection.write(requestBytes({ target: '/api/v1/flows', headers, body: '{"name":' }))
    connection.socket.end()
    await connection.ended
    expect(await connection.reply()).toMatchObject({ status: 400, body: { status: 'error' } })
    expect(millrace.log()).not.toContain('fault of Millrace')
  })

  it('is a body over 5 MiB', async () => {
    const answer = await api(
      'POST',
      '/flows',
      documentOf([{ id: 'a', kind: 'set', vars: { a: 'x'.repeat(6_000_000) } }]),
    )
    expectFailure(answer, 413, 'payload_too_large')
  })
})

describe('publishing', () => {
  it.each<[string, object, [string, string][]]>([
    [
      'an empty flow',
      {},
      [
        ['/name', 'missing'],
        ['/trigger', 'missing'],
        ['/steps', 'missing'],
      ],
    ],
    ['an empty name', documentOf([], {}, ''), [['/name', 'empty']]],
    [
      'an empty URL and no method',
      documentOf([{ id: 'a', kind: 'http', url: '' }]),
      [
        ['/steps/0/url', 'empty'],
        ['/steps/0/method', 'missing'],
      ],
    ],
    ['a timeout out of range', documentOf([{ ...call, timeout: 301 }]), [['/steps/0/timeout', 'out_of_range']]],
    ['a bad id', documentOf([{ ...call, id: 'Bad-Id' }]), [['/steps/0/id', 'invalid_format']]],
    ['an id used twice', documentOf([call, call]), [['/steps/1/id', 'duplicate_id']]],
    [
      'an unknown step',
      documentOf([{ ...call, url: 'https://x.test/{{ steps.nope.body }}' }]),
      [['/steps/0/url', 'unknown_step']],
    ],
    [
      'a later step',
      documentOf([{ id: 'a', kind: 'set', vars: { x: '{{ steps.call.body }}' } }, call]),
      [['/steps/0/vars/x', 'step_not_run_yet']],
    ],
    [
      'an unknown variable',
      documentOf([{ id: 'a', kind: 'fail', message: '{{ vars.nope }}' }]),
      [['/steps/0/message', 'unknown_variable']],
    ],
    [
      'a broken expression',
      documentOf([{ id: 'a', kind: 'fail', message: '{{ 1 + }}' }]),
      [['/steps/0/message', 'expression_syntax']],
    ],
    [
      'an unknown root',
      documentOf([{ id: 'a', kind: 'fail', message: '{{ process.env }}' }]),
      [['/steps/0/message', 'expression_syntax']],
    ],
    [
      'connections in a reply',
      documentOf([], { response: { body: '{{ connections.shop.token }}' } }),
      [['/trigger/response/body', 'secret_in_reply']],
    ],
    [
      'an empty expected value',
      documentOf([], { auth: { kind: 'header', name: 'X-A', value: '' } }),
      [['/trigger/auth/value', 'empty']],
    ],
    [
      'a forbidden reply header',
      documentOf([{ id: 'a', kind: 'respond', headers: [{ name: 'Content-Length', value: '1' }] }]),
      [['/steps/0/headers/0/name', 'invalid_header']],
    ],
    ['a bad address range', documentOf([], { ips: ['10.0.0.0/99'] }), [['/trigger/ips/0', 'invalid_format']]],
    ['a type that cannot be taken', documentOf([], { accept: ['image'] }), [['/trigger/accept/0', 'invalid_format']]],
  ])('refuses %s, which may be saved', async (_what, document, issues) => {
    const created = await api('POST', '/flows', document)
    expect(created.status).toBe(201)
    const refused = await api('POST', `/flows/${created.body.id}/publish`)
    const paths = refused.body.issues?.map(({ path }: { path: string }) => path)
    expect(paths).toEqual(issues.map(([path]) => path))
    if (issues[0]![1] !== 'expression_syntax') expectIssues(refused, issues)
    const validated = await api('POST', '/flows/validate', document)
    expect(validated.status).toBe(200)
    expect(validated.body.issues).toEqual(refused.body.issues)
    expect((await api('GET', `/flows/${created.body.id}`)).body.status).toBe('draft')
  })

  it('makes versions 1, 2, 3, and none for an unchanged draft', async () => {
    const { id } = await create()
    const publish = async () => (await api('POST', `/flows/${id}/publish`)).body
    const save = (name: string) => api('PUT', `/flows/${id}`, documentOf([], {}, name))
    expect(await publish()).toEqual({ version: 1, warnings: [] })
    expect((await publish()).version).toBe(1)
    await save('Two')
    expect((await api('GET', `/flows/${id}`)).body).toMatchObject({
      status: 'published',
      published: { version: 1 },
      name: 'Two',
    })
    expect((await publish()).version).toBe(2)
    await save('Three')
    expect((await publish()).version).toBe(3)
    const versions = (await api('GET', `/flows/${id}/versions`)).body
    expect(versions).toEqual({
      items: [3, 2, 1].map((version) => ({
        version,
        publishedAt: expect.stringMatching(ISO),
        publishedBy: expect.stringMatching(/\S/),
      })),
      nextCursor: null,
    })
    const page = (await api('GET', `/flows/${id}/versions?limit=2`)).body
    expect(page.items.map(({ version }: { version: number }) => version)).toEqual([3, 2])
    const rest = (await api('GET', `/flows/${id}/versions?limit=2&cursor=${page.nextCursor}`)).body
    expect(rest.items.map(({ version }: { version: number }) => version)).toEqual([1])
    expect((await api('GET', `/flows/${id}/versions/2`)).body).toEqual({
      ...versions.items[1],
      document: documentOf([], {}, 'Two'),
    })
    const restored = await api('POST', `/flows/${id}/versions/1/restore`)
    expect(restored.body).toMatchObject({
      name: 'Managed',
      revision: 4,
      draft: documentOf(),
      published: { version: 3 },
    })
    expect((await publish()).version).toBe(4)
    await api('POST', `/flows/${id}/unpublish`)
    expect((await publish()).version).toBe(4)
  })

  it('answers 404 for versions that are not there', async () => {
    const { id } = await create()
    for (const [method, path] of [
      ['GET', `/flows/${id}/versions/1`],
      ['POST', `/flows/${id}/versions/1/restore`],
      ['GET', '/flows/nope/versions'],
      ['GET', '/flows/nope/versions/1'],
    ] as const)
      expectFailure(await api(method, path), 404, 'not_found')
    for (const version of ['0', '-1', 'x', '1.5', '99999999999999999999'])
      expect((await api('GET', `/flows/${id}/versions/${version}`)).body).toMatchObject({ status: 'error' })
  })

  it('lets runs under way keep their version', async () => {
    const { flow, post } = await millrace.publish(
      documentOf([held, { id: 'mark', kind: 'set', vars: { version: 'one' } }]),
    )
    const { id } = (await post({})).body
    await gate.count(gate.received.length + (gate.held() ? 0 : 1))
    await api('PUT', `/flows/${flow.id}`, documentOf([{ id: 'mark', kind: 'set', vars: { version: 'two' } }]))
    await api('POST', `/flows/${flow.id}/publish`)
    const second = await millrace.runEnded((await post({})).body.id)
    expect(second).toMatchObject({ version: 2, vars: { version: 'two' } })
    await gate.letOne()
    expect(await millrace.runEnded(id)).toMatchObject({ version: 1, vars: { version: 'one' } })
  })

  it('warns of secrets that are typed in, and publishes all the same', async () => {
    const { id } = await create([], { auth: { kind: 'header', name: 'X-A', value: 'typed-in-secret' } })
    const { body } = await api('POST', `/flows/${id}/publish`)
    expect(body).toMatchObject({ version: 1, warnings: [{ path: '/trigger/auth/value', code: 'hard_coded_secret' }] })
    expect(JSON.stringify(body)).not.toContain('typed-in-secret')
  })

  it('is not touched by validate, which saves nothing', async () => {
    const before = (await api('GET', '/flows?limit=1')).body
    const valid = await api('POST', '/flows/validate', documentOf([call]))
    expect([valid.status, valid.body]).toEqual([200, { issues: [], warnings: [] }])
    expect((await api('POST', '/flows/validate', { nonsense: 1 })).body.issues.length).toBeGreaterThan(0)
    expect((await api('GET', '/flows?limit=1')).body).toEqual(before)
  })
})
