import { describe, expect, it } from 'vitest'
import { stepKinds } from '../steps/index.ts'
import { SecretFlow } from './secret-flow.ts'
import { publishIssues, validate, warnings } from './validate/validate.ts'

const TOKEN = '{{ connections.shop.token.split("").reverse().join("") }}'
const set = (id: string, value: unknown, more: object = {}) => ({ id, kind: 'set', vars: { [id]: value }, ...more })
const open = new Set(['username'])
const isSecretField = (_name: string, field: string) => !open.has(field)
const flowOf = (...steps: object[]) => new SecretFlow({ steps }, stepKinds, isSecretField)
/** Returns the sources of the secrets that a reference after the steps holds. */
const behind = (path: string, ...steps: object[]) =>
  [...flowOf(...steps).sourcesOf({ path: path.split('.') }, [])].sort()

describe('secrets by reference', () => {
  it.each<[string, string, object[], string[]]>([
    ['a field', 'connections.shop.token', [], ['shop']],
    ['a field that can be read', 'connections.shop.username', [], []],
    ['the environment', 'env.NAME', [], ['env']],
    ['the environment as a whole', 'env', [], ['env']],
    ['the webhook', 'webhook.body', [set('x', TOKEN)], []],
    ['a variable', 'vars.x', [set('x', { deep: [TOKEN] })], ['shop']],
    ['another variable', 'vars.y', [set('x', TOKEN), set('y', '1')], []],
    ['all variables', 'vars', [set('x', TOKEN)], ['shop']],
    ['the step that sets it', 'steps.x.x', [set('x', TOKEN)], ['shop']],
    [
      'a chain of variables',
      'vars.z',
      [set('x', TOKEN), set('y', '{{ vars.x }}'), set('z', '{{ vars.y + env.A }}')],
      ['env', 'shop'],
    ],
    ['a chain against the order', 'vars.z', [set('z', '{{ vars.y }}'), set('y', TOKEN)], ['shop']],
    ['all steps', 'steps', [set('x', TOKEN)], ['shop']],
    ['code', 'steps.c.a', [{ id: 'c', kind: 'code', code: '', input: { a: TOKEN } }], ['shop']],
    ['code that reveals', 'steps.c.a', [{ id: 'c', kind: 'code', code: '', input: TOKEN, reveal: true }], []],
    ['the reply of an API', 'steps.h.body', [{ id: 'h', kind: 'http', method: 'GET', url: TOKEN }], []],
    [
      'a stored key',
      'steps.g.value',
      [
        { id: 's', kind: 'store', op: 'set', key: 'k', value: TOKEN },
        { id: 'g', kind: 'store', op: 'get', key: 'k' },
      ],
      ['shop'],
    ],
    [
      'another key',
      'steps.g.value',
      [
        { id: 's', kind: 'store', op: 'set', key: 'k', value: TOKEN },
        { id: 'g', kind: 'store', op: 'get', key: 'l' },
      ],
      [],
    ],
    [
      'a key made up by a template',
      'steps.g.value',
      [
        { id: 's', kind: 'store', op: 'set', key: 'k{{ 1 }}', value: TOKEN },
        { id: 'g', kind: 'store', op: 'get', key: 'l' },
      ],
      ['shop'],
    ],
    [
      'any key',
      'steps.g.value',
      [
        { id: 's', kind: 'store', op: 'set', key: 'k', value: TOKEN },
        { id: 'g', kind: 'store', op: 'get', key: '{{ 1 }}' },
      ],
      ['shop'],
    ],
    [
      'what a loop collects',
      'steps.l.results',
      [{ id: 'l', kind: 'loop', each: [1], steps: [], collect: TOKEN }],
      ['shop'],
    ],
    [
      'the items of a loop',
      'vars.x',
      [{ id: 'l', kind: 'loop', each: `{{ [connections.shop.token] }}`, steps: [set('x', '{{ loop.item }}')] }],
      ['shop'],
    ],
    [
      'the items of a loop around',
      'vars.x',
      [
        {
          id: 'l',
          kind: 'loop',
          each: `{{ [connections.shop.token] }}`,
          steps: [{ id: 'm', kind: 'loop', each: [1], steps: [set('x', '{{ loops.l.item }}')] }],
        },
      ],
      ['shop'],
    ],
    [
      'what a branch fails with',
      'steps.b',
      [{ id: 'b', kind: 'branch', cases: [{ when: true, steps: [set('x', TOKEN)] }] }],
      ['shop'],
    ],
    [
      'what a condition decides',
      'vars.x',
      [{ id: 'b', kind: 'branch', cases: [{ when: '{{ connections.shop.token == 1 }}', steps: [set('x', 'y')] }] }],
      [],
    ],
  ])('are behind %s', (_what, path, steps, sources) => {
    expect(behind(path, ...steps)).toEqual(sources)
  })

  it('are found in places, however many steps they go through', () => {
    const steps = Array.from({ length: 5000 }, (_, i) => set(`s${i}`, i === 4999 ? TOKEN : `{{ vars.s${i + 1} }}`))
    expect(behind('vars.s0', ...steps)).toEqual(['shop'])
  })
})

describe('publishing', () => {
  const shapes = {
    connections: new Map([['shop', { kind: 'basic', fields: new Set(['token', 'username']), open }]]),
    env: new Set(['KEY']),
    config: new Set(['HOST']),
  }
  const check = (steps: object[], response: object) =>
    validate(
      { name: 'x', trigger: { kind: 'webhook', response: { mode: 'finished', ...response } }, steps },
      stepKinds,
      shapes,
    )
  const codes = (found: { path: string; code: string }[]) => found.map(({ path, code }) => `${path} ${code}`)

  it.each<[string, object[], object, string[]]>([
    ['the environment', [], { body: '{{ env.KEY }}' }, ['/trigger/response/body secret_in_reply']],
    ['a variable', [set('x', TOKEN)], { body: { a: '{{ vars.x }}' } }, ['/trigger/response/body/a secret_in_reply']],
    ['all variables', [set('x', TOKEN)], { body: '{{ vars }}' }, ['/trigger/response/body secret_in_reply']],
    [
      'a header',
      [set('x', TOKEN)],
      { headers: [{ name: 'X-A', value: '{{ vars.x }}' }] },
      ['/trigger/response/headers/0/value secret_in_reply'],
    ],
    [
      'the error reply',
      [set('x', TOKEN)],
      { error: { body: '{{ vars.x }}' } },
      ['/trigger/response/error/body secret_in_reply'],
    ],
    [
      'a respond step',
      [set('x', TOKEN), { id: 'r', kind: 'respond', body: '{{ steps.x.x }}' }],
      {},
      ['/steps/1/body secret_in_reply'],
    ],
    [
      'what code made of it',
      [{ id: 'c', kind: 'code', code: 'export default (x) => x', input: TOKEN }],
      { body: '{{ steps.c }}' },
      ['/trigger/response/body secret_in_reply'],
    ],
  ])('refuses a reply with %s', (_what, steps, response, issues) => {
    expect(codes(publishIssues(check(steps, response)))).toEqual(issues)
  })

  it('lets a reply hold what the flow says may be seen, and warns of it', () => {
    const code = { id: 'c', kind: 'code', code: 'export default (x) => x', input: TOKEN, reveal: true }
    const revealing = check([code], { body: '{{ steps.c }}' })
    expect(publishIssues(revealing)).toEqual([])
    expect(codes(warnings(revealing))).toEqual(['/steps/0/reveal reveals_secret'])
    const reply = check([set('x', TOKEN)], { body: '{{ vars.x + connections.shop.token }}', reveal: true })
    expect(publishIssues(reply)).toEqual([])
    expect(codes(warnings(reply))).toEqual(['/trigger/response/reveal reveals_secret'])
    expect(codes(warnings(check([set('x', 'y')], { body: '{{ vars.x }}', reveal: true })))).toEqual([])
  })
})
