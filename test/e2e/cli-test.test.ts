// Tests `millrace test`: flows with their fixtures, offline and always with the same result; and runs that become fixtures.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { formatFlowYaml } from '../../src/flow/flow-text.ts'
import { callCli, spawnCli } from '../harness/cli.ts'
import { documentOf } from '../harness/management.ts'
import { startMillrace, TOKEN, temporaryFolder } from '../harness/millrace.ts'
import { startUpstream } from '../harness/upstream.ts'

const base = temporaryFolder()
let folder: string
let cases = 0
beforeEach(() => {
  folder = join(base, String(++cases))
  mkdirSync(folder)
})
afterAll(() => rmSync(base, { recursive: true }))

const write = (file: string, document: unknown) =>
  writeFileSync(join(folder, file), typeof document === 'string' ? document : formatFlowYaml(document))

interface Tested {
  exit: number
  tests: { file: string; name: string; passed: boolean; faults: string[] }[]
}

async function test(flow: object, fixture: object): Promise<Tested> {
  write('a.yaml', flow)
  write('a.test.yaml', fixture)
  const { exit, json } = await callCli(['test', folder, '--json'])
  return { exit, tests: json().tests }
}

const faultsOf = async (flow: object, fixture: object) => (await test(flow, fixture)).tests.map(({ faults }) => faults)
const passes = async (flow: object, ...tests: object[]) =>
  expect(await faultsOf(flow, { tests })).toEqual(tests.map(() => []))

const call = (url: string, more: object = {}) => ({ id: 'call', kind: 'http', method: 'GET', url, ...more })
const set = (vars: object) => ({ id: 'keep', kind: 'set', vars })

describe('millrace test', () => {
  it('passes on the examples, as a process of its own', async () => {
    const examples = resolve(import.meta.dirname, '../../examples')
    const { exit, stdout } = await spawnCli(['test', examples])
    expect(stdout).toMatch(/^\d\d passed$/m)
    expect(stdout).not.toContain('FAILED')
    expect(exit).toBe(0)
    expect(stdout.match(/\.test\.yaml$/gm)!.length).toBeGreaterThanOrEqual(5)
  }, 60_000)

  it('says what was expected, what came, and where', async () => {
    const flow = documentOf([
      call('https://api.example.com/{{ webhook.body.n }}', { method: 'POST', body: { kind: 'json', value: { n: 1 } } }),
      set({ n: '{{ steps.call.body.n }}' }),
    ])
    const { exit, tests } = await test(flow, {
      tests: [
        {
          name: 'differs',
          deliver: { body: { n: 1 } },
          stubs: [{ url: 'https://api.example.com/1', reply: { body: { n: 2 } } }],
          expect: {
            status: 'failed',
            vars: { n: 3 },
            requests: [{ method: 'GET', body: { n: 5 } }, { method: 'GET' }],
          },
        },
      ],
    })
    expect(exit).toBe(1)
    expect(tests[0]!.faults).toEqual([
      'status\n  expected "failed"\n  actual   "succeeded"',
      'vars.n\n  expected 3\n  actual   2',
      'requests[0].method\n  expected "GET"\n  actual   "POST"',
      'requests[0].body.n\n  expected 5\n  actual   1',
      expect.stringMatching(/^requests\[1\]\n {2}expected \{[\s\S]*\n {2}actual {3}nothing$/),
    ])
    const { stdout } = await callCli(['test', folder])
    expect(stdout).toContain('  FAILED  differs\n        status\n          expected "failed"\n')
    expect(stdout).toContain('1 of 1 failed')
  })

  it('fails on a request that nothing stands for, also where the flow would go on', async () => {
    const flow = documentOf([call('https://api.example.com/x', { onError: 'continue' })])
    const stubs = [{ url: 'https://api.example.com/x', replies: [{}] }]
    expect(await faultsOf(flow, { tests: [{ name: 'no stub' }] })).toEqual([
      ['no stub answers GET https://api.example.com/x'],
    ])
    await passes(flow, { name: 'stubbed', stubs })
    const twice = documentOf([call('https://api.example.com/x'), { ...call('https://api.example.com/x'), id: 'again' }])
    expect((await faultsOf(twice, { tests: [{ name: 'used up', stubs, expect: {} }] }))[0]).toEqual([
      'no stub answers GET https://api.example.com/x',
    ])
  })

  it('goes through the trigger: authentication, filter, signature, addresses and replies', async () => {
    const auth = { kind: 'header', name: 'X-Key', value: '{{ env.KEY }}' }
    const flow = documentOf([], { auth, when: '{{ webhook.body.n > 1 }}' })
    const env = { KEY: 'the-key' }
    const headers = { 'X-Key': 'the-key' }
    await passes(
      flow,
      { name: 'in', env, deliver: { body: { n: 2 }, headers }, expect: { delivery: 'accepted', status: 'succeeded' } },
      { name: 'filtered', env, deliver: { body: { n: 1 }, headers }, expect: { delivery: 'filtered', requests: [] } },
      {
        name: 'refused',
        env,
        deliver: { body: { n: 2 } },
        expect: { delivery: 'rejected', code: 'unauthorized', reply: { status: 401, body: { code: 'unauthorized' } } },
      },
      { name: 'as if', env, deliver: { body: { n: 2 }, authenticated: true }, expect: { delivery: 'accepted' } },
      { name: 'no JSON', env, deliver: { rawBody: '{', headers }, expect: { code: 'bad_request' } },
    )
    const signed = documentOf([], { auth: { kind: 'signature', scheme: 'github', secret: 'sealed:exported' } })
    await passes(
      signed,
      { name: 'unsigned', expect: { delivery: 'rejected' } },
      { name: 'as if', deliver: { authenticated: true }, expect: { delivery: 'accepted' } },
    )
    await passes(documentOf([], { ips: ['10.0.0.0/8'] }), {
      name: 'address',
      deliver: { ip: '10.1.2.3' },
      next: [{ deliver: { ip: '192.0.2.1' }, expect: { delivery: 'rejected' } }],
    })
  })

  it('leaps over waits, tells the time of the test, and lets callers give up in it', async () => {
    const wait = { id: 'pause', kind: 'wait', seconds: 86_400 }
    const code = {
      id: 'clock',
      kind: 'code',
      code: 'export default () => [new Date().toISOString(), Date.now(), new Date(0) instanceof Date, Date().slice(0, 15), Math.random()]',
    }
    const flow = documentOf([wait, code, set({ now: '{{ now() }}', run: '{{ run.id }}' })], {
      response: { mode: 'finished' },
    })
    const { tests } = await test(flow, {
      now: '2026-11-15T08:00:00Z',
      tests: [
        {
          name: 'waits',
          expect: {
            reply: { status: 202 },
            vars: { now: '2026-11-16T08:00:00.000Z' },
            steps: {
              clock: ['2026-11-16T08:00:00.000Z', 1794816000000, true, 'Mon Nov 16 2026', 0.000007826369259425611],
            },
          },
        },
      ],
    })
    expect(tests[0]!.faults).toEqual([])
    const same = documentOf([{ ...wait, seconds: 5 }], { response: { mode: 'finished' } })
    await passes(same, { name: 'in time', expect: { reply: { status: 200 } } })
  })

  it('waits for rounds and retries without losing a second', async () => {
    const flow = documentOf([
      {
        id: 'all',
        kind: 'loop',
        each: '{{ webhook.body }}',
        concurrency: 3,
        steps: [
          call('https://api.example.com/{{ loop.item }}', { retry: { attempts: 3, delay: 3600, maxDelay: 7200 } }),
        ],
        collect: '{{ steps.call.status }}',
      },
    ])
    await passes(flow, {
      name: 'retries',
      deliver: { body: ['a', 'b', 'c'] },
      stubs: [
        { url: 'https://api.example.com/b', replies: [{ status: 503 }, { error: 'connection_reset' }, {}] },
        { url: 'https://api.example.com/*' },
      ],
      expect: { steps: { all: { results: [200, 200, 200] } }, unordered: true, requests: [{}, {}, {}, {}, {}] },
    })
  })

  it('keeps the keys of a flow from one delivery to the next, and never from test to test', async () => {
    const flow = documentOf([{ id: 'count', kind: 'store', op: 'increment', key: 'n' }])
    const counted = (value: number) => ({ steps: { count: { value } } })
    await passes(
      flow,
      { name: 'first', expect: counted(1), next: [{ expect: counted(2) }] },
      { name: 'second', expect: counted(1) },
    )
  })

  it('fires a schedule at a planned time, by its own clock unless the time has an offset', async () => {
    const trigger = { kind: 'schedule', cron: '30 2 * * *', timezone: 'Europe/Berlin', input: { report: 'daily' } }
    const vars = { at: '{{ schedule.at }}', since: '{{ schedule.previous }}', of: '{{ schedule.input.report }}' }
    const flow = {
      name: 'Nightly',
      trigger,
      steps: [set({ ...vars, missed: '{{ schedule.missed }}', now: '{{ now() }}' })],
    }
    // The clocks skip 02:30 on that day: the run is right after the gap.
    const skipped = { at: '2027-03-28T01:00:00.000Z', since: '2027-03-27T01:30:00.000Z', of: 'daily', missed: 0 }
    await passes(
      flow,
      { name: 'skipped', fire: '2027-03-28T02:30', expect: { vars: { ...skipped, now: skipped.at } } },
      {
        name: 'with an offset, and the day after',
        fire: '2027-01-01T01:30:00Z',
        next: [{ fire: '2027-01-02 02:30', expect: { vars: { since: '2027-01-01T01:30:00.000Z' } } }],
      },
    )
    const [unplanned, unread, answered] = await faultsOf(flow, {
      tests: [
        { name: 'not planned', fire: '2027-01-01T03:00' },
        { name: 'no time', fire: 'tomorrow' },
        { name: 'no sender', fire: '2027-01-01T02:30', expect: { reply: { status: 200 } } },
      ],
    })
    expect(unplanned!.join()).toContain('planned next at 2027-01-02T01:30:00.000Z')
    expect(unread!.join()).toContain('a time such as 2027-03-28T02:30')
    expect(answered!.join()).toContain('reply')
    const [webhook] = await faultsOf(documentOf([]), { tests: [{ name: 'no schedule', fire: '2027-01-01T02:30' }] })
    expect(webhook!.join()).toContain('a flow with a schedule')
  })

  it('has the connections of the test, and keeps them to their hosts', async () => {
    const auth = { kind: 'bearer', token: '{{ connections.shop.token }}' }
    const flow = documentOf([call('https://{{ raw(webhook.body.host) }}/x', { auth })])
    const connections = { shop: { kind: 'bearer', fields: { token: 'shop-token' }, hosts: ['api.example.com'] } }
    const requests = [{ headers: { authorization: 'Bearer shop-token' } }]
    await passes(
      flow,
      {
        name: 'in',
        connections,
        deliver: { body: { host: 'api.example.com' } },
        stubs: [{ url: '*' }],
        expect: { requests },
      },
      {
        name: 'out',
        connections,
        deliver: { body: { host: 'evil.example.com' } },
        expect: { error: { code: 'host_not_allowed' }, requests: [] },
      },
    )
    const missing = await faultsOf(flow, { tests: [{ name: 'none' }] })
    expect(missing[0]![0]).toMatch(/^the flow cannot be published: .*There is no connection "shop"/)
    const oauth = documentOf([call('https://api.example.com/x', { auth: { kind: 'oauth2', connection: 'crm' } })])
    await passes(oauth, {
      name: 'oauth',
      connections: { crm: { kind: 'oauth2', fields: { accessToken: 'granted' } } },
      stubs: [{ url: '*' }],
      expect: { requests: [{ headers: { authorization: 'Bearer granted' } }] },
    })
  })

  it('points at what is wrong in a test, and at a flow that is not there', async () => {
    write('a.yaml', documentOf())
    write('a.test.yaml', {
      tests: [
        { name: 'x', expct: {} },
        { name: 'y', expect: { delivery: 'lost' } },
      ],
    })
    const { exit, json } = await callCli(['test', folder, '--json'])
    expect(exit).toBe(1)
    expect(json().tests[0].faults).toEqual([
      '/tests/0/expct: expct is not a known key here (did you mean "expect"?); remove it',
      expect.stringContaining(
        '/tests/1/expect/delivery: delivery must be one of accepted, duplicate, filtered, rejected',
      ),
    ])
    write('b.test.yaml', { tests: [{ name: 'x' }] })
    expect(await callCli(['test', folder])).toMatchObject({ exit: 3, stderr: expect.stringContaining('b.yaml') })
    expect(await callCli(['test', join(folder, 'nowhere')])).toMatchObject({ exit: 3 })
    expect(await callCli(['test', folder, '--reporter', 'loud'])).toMatchObject({ exit: 2 })
  })

  it('checks flows that have no tests, without asking for what only a server knows', async () => {
    write(
      'good.yaml',
      documentOf([call('https://api.example.com', { auth: { kind: 'bearer', token: '{{ connections.x.token }}' } })]),
    )
    write('bad.yaml', documentOf([call('{{ steps.nope.body }}')]))
    write('compose.yaml', 'services: {}\n')
    const { exit, json } = await callCli(['test', folder, '--json'])
    expect(exit).toBe(1)
    const byFile = (json() as { tests: Tested['tests'] }).tests.map(({ file, passed }) => [
      file.split('/').at(-1),
      passed,
    ])
    expect(byFile).toEqual([
      ['bad.yaml', false],
      ['good.yaml', true],
    ])
  })

  it('reports as TAP and as JUnit', async () => {
    write('a.yaml', documentOf([{ id: 'no', kind: 'fail', message: 'not <today> & "never"' }]))
    write('a.test.yaml', { tests: [{ name: 'good', expect: { status: 'failed' } }, { name: 'bad "#1"' }] })
    const file = join(folder, 'a.test.yaml')
    const tap = await callCli(['test', file, '--reporter', 'tap'])
    expect(tap.exit).toBe(1)
    expect(tap.stdout.split('\n').slice(0, 4)).toEqual([
      'TAP version 14',
      '1..2',
      `ok 1 - ${file}: good`,
      `not ok 2 - ${file}: bad "\\#1"`,
    ])
    const { stdout } = await callCli(['test', file, '--reporter', 'junit'])
    expect(stdout).toContain('<testsuites tests="2" failures="1"')
    expect(stdout).toContain('name="bad &quot;#1&quot;"')
    expect(stdout).toContain('not &lt;today&gt; &amp; \\&quot;never\\&quot;')
    const named = await callCli(['test', file, '--name', 'good'])
    expect(named).toMatchObject({ exit: 0, stdout: expect.stringContaining('1 passed') })
  })
})

describe('a run as a test', () => {
  it('holds what happened, and no secret, and passes offline', async () => {
    const upstream = await startUpstream((request, response) => {
      response.writeHead(request.url === '/orders/7' ? 200 : 201, { 'content-type': 'application/json', 'x-page': '1' })
      response.end(JSON.stringify({ total: 150, echoed: request.headers.authorization }))
    })
    const millrace = await startMillrace({
      MILLRACE_ENV_SHOP_URL: upstream.url,
      MILLRACE_ENV_SHOP_KEY: 'canary-of-env',
    })
    const connection = { name: 'crm', kind: 'bearer', fields: { token: 'canary-of-crm' } }
    expect((await millrace.api('POST', '/connections', connection)).status).toBe(201)
    const document = documentOf(
      [
        call('{{ env.SHOP_URL }}/orders/{{ webhook.body.id }}', {
          auth: { kind: 'apiKey', in: 'query', name: 'key', value: '{{ env.SHOP_KEY }}' },
        }),
        set({
          total: '{{ steps.call.body.total }}',
          page: "{{ steps.call.headers['x-page'] }}",
          at: '{{ now() }}',
          mine: 'of {{ run.id }}',
        }),
        {
          id: 'tell',
          kind: 'http',
          method: 'POST',
          url: '{{ env.SHOP_URL }}/alerts',
          auth: { kind: 'bearer', token: '{{ connections.crm.token }}' },
          body: { kind: 'json', value: { total: '{{ vars.total }}', key: 'with {{ env.SHOP_KEY }}' } },
        },
        { id: 'end', kind: 'fail', message: 'after all' },
      ],
      { auth: { kind: 'header', name: 'X-Key', value: 'canary-of-trigger' } },
    )
    const { flow, post } = await millrace.publish(document)
    const { id } = (await post({ id: 7 }, { 'X-Key': 'canary-of-trigger', 'X-Kind': 'order' })).body
    await millrace.runEnded(id)

    const env = { MILLRACE_BASE_URL: millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN }
    const output = join(folder, 'a.test.yaml')
    expect((await callCli(['runs', 'export', id, '--output', output, '--flow', 'flow.yaml'], { env })).exit).toBe(0)
    expect((await callCli(['flows', 'export', flow.id, '--output', join(folder, 'flow.yaml')], { env })).exit).toBe(0)
    await millrace.stop()
    await upstream.close()

    const text = readFileSync(output, 'utf8')
    expect(text).not.toContain('canary')
    expect(text).not.toContain('[secret]')
    const tested = await callCli(['test', folder, '--json'])
    expect(tested.json().tests).toMatchObject([{ name: `as in ${id}`, faults: [] }])
    expect(tested.exit).toBe(0)
    // The fixture does check the flow.
    write('flow.yaml', readFileSync(join(folder, 'flow.yaml'), 'utf8').replace('vars.total', 'vars.page'))
    expect((await callCli(['test', folder, '--json'])).json().tests[0].faults).toEqual([
      'requests[1].body.total\n  expected 150\n  actual   "1"',
    ])
  })

  it('is not made of a run that has not ended, or that there is not', async () => {
    const millrace = await startMillrace()
    const { post } = await millrace.publish(documentOf([{ id: 'w', kind: 'wait', seconds: 3600 }]))
    const { id } = (await post({})).body
    await millrace.runEnded(id, ['waiting'])
    expect((await millrace.api('GET', `/runs/${id}/fixture`)).status).toBe(409)
    expect((await millrace.api('GET', '/runs/run_none/fixture')).status).toBe(404)
    await millrace.stop()
  })
})
