import { describe, expect, it } from 'vitest'
import { stepKinds } from '../../steps/index.ts'
import { publishIssues, shapeIssues, validate, warnings } from './validate.ts'

const surroundings = {
  connections: new Map([
    ['shop', { kind: 'bearer', fields: new Set(['token']) }],
    ['crm', { kind: 'oauth2', fields: new Set(['clientId', 'accessToken']) }],
  ]),
  env: new Set(['URL']),
  config: new Set(['HOST']),
}
const check = (document: unknown) => {
  const found = validate(document, stepKinds, surroundings)
  return { shape: shapeIssues(found), publish: publishIssues(found), warnings: warnings(found) }
}
const flow = (steps: unknown[], trigger: object = {}) => ({
  name: 'F',
  trigger: { kind: 'webhook', ...trigger },
  steps,
})
const codes = (issues: { path: string; code: string }[]) => issues.map(({ path, code }) => `${path} ${code}`)

const get = (id: string, url: string, more: object = {}) => ({ id, kind: 'http', method: 'GET', url, ...more })
const set = (id: string, vars: object, more: object = {}) => ({ id, kind: 'set', vars, ...more })

describe('a connection that is for some flows', () => {
  const limited = (flows: string[], tags: string[]) => ({
    ...surroundings,
    connections: new Map([['shop', { kind: 'bearer', fields: new Set(['token']), onlyFor: { flows, tags } }]]),
  })
  const named = { ...flow([get('a', 'https://a', { auth: { kind: 'connection', connection: 'shop' } })]), tags: ['x'] }
  const found = (flowId: string | null, flows: string[], tags: string[]) =>
    codes(
      publishIssues(validate(named, stepKinds, { ...limited(flows, tags), flow: { id: flowId, tags: named.tags } })),
    )

  it('is refused in all others, by id and by tag', () => {
    const refused = ['/steps/0/auth/connection connection_not_for_flow']
    expect(found('flow_1', ['flow_1'], [])).toEqual([])
    expect(found('flow_2', ['flow_1'], [])).toEqual(refused)
    expect(found('flow_2', ['flow_1'], ['y', 'x'])).toEqual([])
    expect(found('flow_2', ['flow_1'], ['y', 'X'])).toEqual(refused)
    expect(found(null, ['flow_1'], ['x'])).toEqual([])
    expect(found(null, ['flow_1'], [])).toEqual(refused)
  })

  it('is refused in templates of steps and of the trigger', () => {
    const secret = '{{ connections.shop.token }}'
    const document = flow([set('a', { x: secret })], { auth: { kind: 'header', name: 'X-Key', value: secret } })
    const surroundings = { ...limited(['flow_1'], []), flow: { id: 'flow_2', tags: [] } }
    expect(codes(publishIssues(validate(document, stepKinds, surroundings)))).toEqual([
      '/trigger/auth/value connection_not_for_flow',
      '/steps/0/vars/x connection_not_for_flow',
    ])
  })
})

describe('validate', () => {
  it('finds nothing in a flow without steps', () => {
    expect(check(flow([]))).toEqual({ shape: [], publish: [], warnings: [] })
  })

  it('takes a description and notes, evaluates nothing in them, and holds them to their limits', () => {
    const noted = { ...flow([]), description: '**{{ nothing }}**', notes: [{ text: '{{ x }}', x: 0, y: -3.5 }] }
    expect(check(noted)).toEqual({ shape: [], publish: [], warnings: [] })
    const note = { text: 'x'.repeat(2001), step: 'gone', x: 1e6, y: 0 }
    const { publish } = check({
      ...noted,
      description: 'x'.repeat(4001),
      notes: [note, { text: 7, x: 0 }],
    })
    const many = Array.from({ length: 51 }, () => ({ text: '', x: 0, y: 0 }))
    expect(codes(check({ ...noted, notes: many }).publish)).toEqual(['/notes too_long'])
    expect(codes(publish)).toEqual([
      '/description too_long',
      '/notes/0/text too_long',
      '/notes/0/x out_of_range',
      '/notes/1/text wrong_type',
      '/notes/1/y missing',
    ])
    expect(codes(check({ ...noted, notes: [{ text: '', x: 0, y: 0, color: 'red' }] }).shape)).toEqual([
      '/notes/0/color unknown_key',
    ])
  })

  it('reports every problem at once, each with its path', () => {
    const { publish } = check({
      name: '',
      trigger: { kind: 'webhook', response: { mode: 'later' }, colour: 'red' },
      steps: [{ id: 'A', kind: 'http', method: 'GET' }, { id: 'b', kind: 'htttp' }, set('c', {}), set('c', {}), 7],
    })
    expect(codes(publish)).toEqual([
      '/name empty',
      '/steps/3/id duplicate_id',
      '/trigger/response/mode unknown_value',
      '/trigger/colour unknown_key',
      '/steps/0/id invalid_format',
      '/steps/0/url missing',
      '/steps/1/kind unknown_kind',
      '/steps/4 wrong_type',
    ])
  })

  it('suggests what was probably meant', () => {
    const { publish } = check(
      flow([
        { ...get('a', 'https://x.test'), hedaers: [] },
        { id: 'b', kind: 'brnch' },
      ]),
    )
    expect(publish[0]!.message).toContain('did you mean "headers"')
    expect(publish[1]!.message).toContain('did you mean "branch"')
  })

  it('lets a draft be saved with what is missing, empty, out of range or refers to nothing', () => {
    const { shape, publish } = check({
      trigger: { kind: 'webhook', response: { timeout: 900 }, auth: { kind: 'header', name: '', value: '' } },
      steps: [
        { id: 'a', kind: 'http', timeout: 0 },
        { kind: 'set' },
        get('b', '{{ steps.nope.x }}'),
        get('c', '{{ oops'),
      ],
    })
    expect(shape).toEqual([])
    expect(codes(publish)).toEqual([
      '/name missing',
      '/trigger/response/timeout out_of_range',
      '/trigger/auth/name empty',
      '/trigger/auth/value empty',
      '/steps/0/timeout out_of_range',
      '/steps/0/method missing',
      '/steps/0/url missing',
      '/steps/1/id missing',
      '/steps/1/vars missing',
      '/steps/2/url unknown_step',
      '/steps/3/url expression_syntax',
    ])
  })

  it('refuses to save unknown keys, kinds, modes and wrong types', () => {
    const { shape } = check({
      name: 5,
      trigger: { kind: 'webhook', auth: { kind: 'password' }, accept: 'json', concurrency: 'two' },
      steps: [set('a', { x: 1 }, { extra: 1 }), { id: 'b', kind: 'http', headers: { a: 1 } }],
      owner: 'me',
    })
    expect(codes(shape)).toEqual([
      '/name wrong_type',
      '/owner unknown_key',
      '/trigger/auth/kind unknown_kind',
      '/trigger/accept wrong_type',
      '/trigger/concurrency wrong_type',
      '/steps/0/extra unknown_key',
      '/steps/1/headers wrong_type',
    ])
  })

  it('names what may stand in place of an unknown key: what is near, else what is needed, never what is there', () => {
    const branch = { id: 'a', kind: 'branch', if: '{{ vars.x }}' }
    const messages = check(flow([branch, { id: 'b', kind: 'http', uri: 'https://a' }])).shape.map(
      ({ message }) => message,
    )
    expect(messages[0]).toMatch(
      /^if is not a known key here \(there may be cases, .+, …\); remove it$|^if .*\(there may be cases, [^…]+\); remove it$/,
    )
    expect(messages[1]).toBe('uri is not a known key here (did you mean "url"?); remove it')
  })

  it('refuses to save a trigger of an unknown kind', () => {
    expect(codes(check({ name: 'x', trigger: { kind: 'timer' }, steps: [] }).shape)).toEqual([
      '/trigger/kind unknown_kind',
    ])
  })

  it.each([[null], [[]], ['text'], [7]])('refuses %j, which is no flow at all', (document) => {
    expect(codes(check(document).shape)).toEqual([' wrong_type'])
  })

  it('gives the position of a syntax error in an expression', () => {
    const [issue] = check(flow([set('a', { x: 'a {{ 1 + }} b' })])).publish
    expect(issue).toMatchObject({ path: '/steps/0/vars/x', code: 'expression_syntax' })
    expect(issue!.message).toMatch(/at character \d+/)
  })

  it('tells a step that comes later from one that does not exist', () => {
    const { publish } = check(
      flow([get('a', 'https://x.test/{{ steps.b.body }}/{{ steps.bb.body }}'), get('b', 'https://x.test')]),
    )
    expect(publish.map((issue) => issue.code)).toEqual(['step_not_run_yet', 'unknown_step'])
    expect(publish[1]!.message).toContain('did you mean "b"')
  })

  it('lets later steps read what a branch left, but not one case what another does', () => {
    const branch = {
      id: 'way',
      kind: 'branch',
      cases: [
        { when: '{{ webhook.body.x }}', steps: [get('left', 'https://x.test')] },
        { when: '{{ steps.left.status == 200 }}', steps: [get('right', 'https://x.test/{{ steps.left.status }}')] },
      ],
      otherwise: [get('none', 'https://x.test/{{ steps.way.case }}')],
    }
    const { publish } = check(flow([branch, set('after', { a: '{{ steps.left.status }}', b: '{{ steps.way.case }}' })]))
    expect(codes(publish)).toEqual([
      '/steps/0/cases/1/when step_not_run_yet',
      '/steps/0/cases/1/steps/0/url step_not_run_yet',
      '/steps/0/otherwise/0/url step_not_run_yet',
    ])
  })

  it('knows the variables that are set, the connections and the loops', () => {
    const { publish } = check(
      flow([
        set('a', { total: 1 }),
        set('b', {
          x: '{{ vars.total }}{{ vars.totl }}{{ connections.shop.token }}{{ connections.shp.token }}{{ loop.item }}',
        }),
      ]),
    )
    expect(publish.map((issue) => issue.code)).toEqual(['unknown_variable', 'unknown_connection', 'unknown_reference'])
  })

  it('knows the fields and kinds of connections, and wants both written out', () => {
    const { publish } = check(
      flow([
        set('a', { x: '{{ connections.shop.tokn }}{{ connections.crm?.accessToken }}{{ connections["shop"].token }}' }),
        set('b', { x: '{{ connections.shop }}', y: '{{ Object.keys(connections) }}' }),
        set('c', { x: '{{ connections[vars.x].token }}', y: '{{ connections.shop[vars.x] }}' }),
        get('d', 'https://x.test', { auth: { kind: 'oauth2', connection: 'crm' } }),
        get('e', 'https://x.test', { auth: { kind: 'oauth2', connection: 'shop' } }),
        get('f', 'https://x.test', { auth: { kind: 'oauth2', connection: 'crn' } }),
        get('g', 'https://x.test', { auth: { kind: 'oauth2', connection: '{{ vars.x }}' } }),
      ]),
    )
    expect(codes(publish)).toEqual([
      '/steps/0/vars/x unknown_field',
      '/steps/1/vars/x unnamed_connection',
      '/steps/1/vars/y unnamed_connection',
      '/steps/2/vars/x unnamed_connection',
      '/steps/2/vars/y unnamed_connection',
      '/steps/4/auth/connection wrong_connection',
      '/steps/5/auth/connection unknown_connection',
      '/steps/6/auth/connection invalid_format',
    ])
    expect(publish[0]!.message).toContain('did you mean "token"?')
    expect(publish[6]!.message).toContain('did you mean "crm"?')
  })

  it('only warns of an environment variable that is not set', () => {
    const { publish, warnings: found } = check(flow([get('a', '{{ env.URL }}/{{ env.OTHER }}')]))
    expect(publish).toEqual([])
    expect(codes(found)).toEqual(['/steps/0/url unknown_env'])
    const plain = check(flow([get('a', '{{ config.HOST }}/{{ config.OTHER }}')]))
    expect(plain.publish).toEqual([])
    expect(codes(plain.warnings)).toEqual(['/steps/0/url unknown_config'])
  })

  it('lets plain variables into replies, labels and everywhere else', () => {
    const respond = { id: 'r', kind: 'respond', body: { x: '{{ config.HOST }}' } }
    const trigger = {
      labels: { host: '{{ config.HOST }}' },
      when: '{{ webhook.body.host == config.HOST }}',
      response: { body: '{{ config.HOST }}' },
    }
    expect(check(flow([], trigger)).publish).toEqual([])
    expect(check(flow([respond], { response: { mode: 'finished', body: '{{ config.HOST }}' } })).publish).toEqual([])
  })

  it('keeps connections out of replies', () => {
    const respond = { id: 'r', kind: 'respond', body: { x: '{{ connections.shop.token }}' } }
    const trigger = { response: { mode: 'finished', body: '{{ connections.shop.token }}' } }
    expect(codes(check(flow([respond], trigger)).publish)).toEqual([
      '/trigger/response/body secret_in_reply',
      '/steps/0/body/x secret_in_reply',
    ])
  })

  it('knows what a reply can refer to', () => {
    const immediate = { response: { body: '{{ steps.a.status }}{{ webhook.body.x }}{{ run.id }}{{ flow.name }}' } }
    expect(check(flow([get('a', 'https://x.test')], immediate)).publish.map((i) => i.code)).toEqual([
      'unknown_reference',
    ])
    const finished = {
      response: { mode: 'finished', body: '{{ steps.a.status }}', error: { body: '{{ error.code }}' } },
    }
    expect(check(flow([get('a', 'https://x.test')], finished)).publish).toEqual([])
    expect(check(flow([set('a', { x: '{{ error.code }}' })])).publish.map((i) => i.code)).toEqual(['unknown_reference'])
  })

  it('warns of a secret that is typed into the flow', () => {
    const { publish, warnings: found } = check(
      flow([get('a', 'https://x.test', { auth: { kind: 'bearer', token: 'abc123' } })], {
        auth: { kind: 'header', name: 'X-Key', value: 'typed' },
      }),
    )
    expect(publish).toEqual([])
    expect(codes(found)).toEqual(['/trigger/auth/value hard_coded_secret', '/steps/0/auth/token hard_coded_secret'])
  })

  it('warns of steps that no run reaches, after a step that always ends it', () => {
    const stop = { id: 'done', kind: 'stop' }
    const fail = { id: 'no', kind: 'fail', message: 'no' }
    const after = [set('a', {}), set('b', {})]
    const branch = (more: object) => ({ id: 'way', kind: 'branch', cases: [{ when: true, steps: [stop] }], ...more })
    const warned = (...steps: object[]) => codes(check(flow(steps)).warnings)
    expect(warned(stop, ...after)).toEqual(['/steps/1 unreachable_step', '/steps/2 unreachable_step'])
    expect(check(flow([stop, ...after])).warnings[0]!.message).toContain('"done" always ends the run')
    expect(warned(fail, set('a', {}))).toEqual(['/steps/1 unreachable_step'])
    expect(warned({ ...fail, onError: 'continue' }, set('a', {}))).toEqual([])
    expect(warned(branch({}), set('a', {}))).toEqual([])
    expect(warned(branch({ otherwise: [] }), set('a', {}))).toEqual([])
    expect(warned(branch({ otherwise: [fail] }), set('a', {}))).toEqual(['/steps/1 unreachable_step'])
    expect(warned(branch({ otherwise: [fail], onError: 'continue' }), set('a', {}))).toEqual([])
    const loop = { id: 'all', kind: 'loop', each: [1], steps: [fail, set('a', {})] }
    expect(warned(loop, set('b', {}))).toEqual(['/steps/0/steps/1 unreachable_step'])
  })

  it('checks content types, address ranges and reply headers of the trigger', () => {
    const trigger = {
      accept: ['application/json', 'image'],
      ips: ['10.0.0.0/8', '::1', 'example.com'],
      auth: { kind: 'header', name: 'X Key', value: '{{ env.URL }}' },
      response: {
        headers: [
          { name: 'Content-Length', value: '1' },
          { name: 'X-Ok', value: 'a\r\nb' },
          { name: 'Content-Type', value: 'text/plain;x=1, text/html' },
          { name: 'Clear-Site-Data', value: '"*"' },
        ],
      },
    }
    expect(codes(check(flow([], trigger)).publish)).toEqual([
      '/trigger/accept/1 invalid_format',
      '/trigger/ips/2 invalid_format',
      '/trigger/auth/name invalid_header',
      '/trigger/response/headers/0/name invalid_header',
      '/trigger/response/headers/1/value invalid_header',
      '/trigger/response/headers/2/value invalid_header',
      '/trigger/response/headers/3/name invalid_header',
    ])
  })

  it('checks the branches of a parallel step: how many, their names, and who sets a variable', () => {
    const parallel = (...branches: object[]) => ({ id: 'p', kind: 'parallel', branches })
    const nested = { id: 'n', kind: 'branch', cases: [{ when: true, steps: [set('deep', { x: 1 })] }] }
    expect(codes(check(flow([parallel({ name: 'a', steps: [] })])).publish)).toEqual(['/steps/0/branches empty'])
    const { publish } = check(
      flow([
        set('before', { x: 0, z: 0 }),
        parallel(
          { name: 'a', steps: [nested, get('a1', 'https://x.test/{{ vars.x }}{{ vars.z }}')] },
          { name: 'b', steps: [set('b1', { x: 2, y: 2 }), get('b2', 'https://x.test/{{ vars.y }}')] },
          { name: 'a', steps: [get('c1', 'https://x.test/{{ vars.y }}{{ steps.b2.status }}{{ steps.before.x }}')] },
        ),
        get('after', 'https://x.test/{{ vars.x }}{{ vars.y }}{{ steps.b2.status }}{{ steps.p.finished }}'),
      ]),
    )
    expect(codes(publish)).toEqual([
      '/steps/1/branches/2/name duplicate_name',
      '/steps/1/branches/1/steps/0 shared_variable',
      '/steps/1/branches/2/steps/0/url shared_variable',
      '/steps/1/branches/2/steps/0/url step_not_run_yet',
    ])
  })

  it('is not fooled by keys such as __proto__ and constructor', () => {
    const document = JSON.parse(
      '{"name":"x","trigger":{"kind":"webhook","constructor":1},"steps":[],"__proto__":{"a":1}}',
    )
    expect(codes(check(document).shape)).toEqual(['/__proto__ unknown_key', '/trigger/constructor unknown_key'])
  })
})
