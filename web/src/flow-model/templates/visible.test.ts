import { describe, expect, it } from 'vitest'
import type { KindSchema } from '../../../../src/flow/document.ts'
import { validate } from '../../../../src/flow/validate/validate.ts'
import { stepKinds } from '../../../../src/steps/index.ts'
import { allSteps, type EditedFlow, valueAt, withValue } from '../flow-tree.ts'
import { sampleFlow } from '../sample-flow.testkit.ts'
import { visibleAt } from './visible.ts'

const kinds = stepKinds as unknown as ReadonlyMap<string, KindSchema>
const ROOTS = [
  'webhook',
  'steps',
  'vars',
  'loop',
  'loops',
  'env',
  'config',
  'connections',
  'run',
  'flow',
  'error',
  'failed',
  'callback',
]

/** Whether publishing would let the reference stand at that place. */
function isAllowed(document: EditedFlow, path: string, reference: string): boolean {
  const text = `{{ ${reference} }}`
  const surroundings = {
    connections: new Map([['shop', { kind: 'bearer', fields: new Set(['token']) }]]),
    env: new Set(['X']),
    config: new Set(['Y']),
  }
  return !validate(withValue(document, path, text), kinds, surroundings).some(
    (finding) => finding.path === path && finding.weight !== 'warning',
  )
}

const flow: EditedFlow = {
  ...sampleFlow(),
  trigger: {
    kind: 'webhook',
    auth: { kind: 'header', name: 'X', value: 'v' },
    when: '{{ true }}',
    dedupe: { key: 'k' },
    response: { mode: 'finished', body: 'b', error: { body: 'e' } },
    labels: { order: 'o' },
  },
  steps: [
    ...sampleFlow().steps.map((step) =>
      step.id === 'lines'
        ? { ...step, collect: 'c', steps: [...(step['steps'] as never[]), { id: 'last', kind: 'fail', message: 'm' }] }
        : step,
    ),
    { id: 'answer', kind: 'respond', body: 'b' },
    {
      id: 'beside',
      kind: 'parallel',
      branches: [
        { name: 'ask', steps: [{ id: 'remind', kind: 'fail', message: 'm' }] },
        {
          name: 'wait',
          steps: [
            {
              id: 'called',
              kind: 'wait',
              callback: { auth: { kind: 'header', name: 'X', value: 'v' }, timeout: 't', when: '{{ true }}' },
            },
            { id: 'asked', kind: 'wait', approval: { title: 't', text: 'x' } },
          ],
        },
      ],
    },
    {
      id: 'orders',
      kind: 'loop',
      each: '{{ [1] }}',
      collect: 'c',
      steps: [
        { id: 'send', kind: 'http', url: 'https://a.example/' },
        { id: 'sent', kind: 'wait', callback: {} },
        { id: 'over', kind: 'fail', message: 'm' },
      ],
    },
  ],
  onFailure: [
    { id: 'note', kind: 'set', vars: { noted: 'n' } },
    { id: 'each', kind: 'loop', each: '{{ [1] }}', steps: [{ id: 'retell', kind: 'fail', message: 'm' }] },
  ],
}

const PLACES = [
  '/trigger/auth/value',
  '/trigger/when',
  '/trigger/dedupe/key',
  '/trigger/labels/order',
  '/trigger/response/body',
  '/trigger/response/error/body',
  '/steps/0/url',
  '/steps/1/cases/0/when',
  '/steps/1/cases/0/steps/0/url',
  '/steps/1/cases/1/steps/0/message',
  '/steps/2/each',
  '/steps/2/collect',
  '/steps/2/steps/0/url',
  '/steps/2/steps/1/while',
  '/steps/2/steps/1/steps/0/vars/part',
  '/steps/2/steps/2/message',
  '/steps/3/vars/count',
  '/steps/4/body',
  '/steps/5/branches/0/steps/0/message',
  '/steps/5/branches/1/steps/0/callback/auth/value',
  '/steps/5/branches/1/steps/0/callback/timeout',
  '/steps/5/branches/1/steps/0/callback/when',
  '/steps/5/branches/1/steps/1/approval/title',
  '/steps/5/branches/1/steps/1/approval/text',
  '/steps/6/each',
  '/steps/6/collect',
  '/steps/6/steps/0/url',
  '/steps/6/steps/2/message',
  '/onFailure/0/vars/noted',
  '/onFailure/1/each',
  '/onFailure/1/steps/0/message',
]

describe.each(PLACES)('at %s', (path) => {
  const visible = visibleAt(flow, path)

  it('offers the roots that publishing allows, and no other', () => {
    expect(valueAt(flow, path)).toBeDefined()
    const allowed = ROOTS.filter((root) =>
      isAllowed(flow, path, root === 'connections' ? 'connections.shop.token' : root),
    )
    expect(visible.roots.filter((root) => root !== 'callbacks').toSorted()).toEqual(allowed.sort())
  })

  it('offers the steps and loops that publishing allows, and no other', () => {
    const ids = allSteps(flow).map(({ step }) => step.id)
    const allowed = (root: string) => ids.filter((id) => isAllowed(flow, path, `${root}.${id}`)).sort()
    expect(visible.steps.map(({ id }) => id).sort()).toEqual(visible.roots.includes('steps') ? allowed('steps') : [])
    expect(visible.loops.map(({ step }) => step.id).sort()).toEqual(allowed('loops'))
  })

  it('offers the URLs of callbacks that publishing allows, and no other', () => {
    const ids = allSteps(flow).map(({ step }) => step.id)
    expect(visible.callbacks.toSorted()).toEqual(
      ids.filter((id) => isAllowed(flow, path, `callbacks.${id}.url`)).sort(),
    )
  })
})

it('offers variables that were set before, and in a loop those of the round before', () => {
  expect(visibleAt(flow, '/steps/1/cases/0/when').vars).toEqual([])
  expect(visibleAt(flow, '/steps/2/steps/0/url').vars).toEqual(['part'])
  expect(visibleAt(flow, '/steps/4/body').vars).toEqual(['part', 'count'])
})

it('names the loops from the outermost to the innermost', () => {
  expect(visibleAt(flow, '/steps/2/steps/1/steps/0/vars/part').loops.map(({ step }) => step.id)).toEqual([
    'lines',
    'parts',
  ])
})

it('offers the URLs of callbacks in a reply that is sent at once, but for those of rounds', () => {
  const atOnce = { ...flow, trigger: { kind: 'webhook', response: { body: 'b' } } }
  const path = '/trigger/response/body'
  const ids = allSteps(atOnce).map(({ step }) => step.id)
  expect(visibleAt(atOnce, path).callbacks).toEqual(['called', 'asked'])
  expect(ids.filter((id) => isAllowed(atOnce, path, `callbacks.${id}.url`))).toEqual(['called', 'asked'])
  expect(visibleAt(atOnce, path).roots).toContain('callbacks')
})
