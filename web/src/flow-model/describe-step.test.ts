import { expect, it } from 'vitest'
import { describeCase, describeStep, describeTrigger } from './describe-step.ts'
import { sampleFlow } from './sample-flow.testkit.ts'

it.each([
  [{ kind: 'http', method: 'POST', url: 'https://api.example.com/a' }, 'POST api.example.com/a'],
  [{ kind: 'http', method: 'GET', url: '' }, 'GET no URL yet'],
  [{ kind: 'branch', cases: [{ when: '{{ a > 1 }}' }] }, 'a > 1'],
  [{ kind: 'branch', cases: [{ when: '' }] }, 'no condition yet'],
  [{ kind: 'branch', cases: [{}, {}] }, 'the first of 2 cases that holds'],
  [{ kind: 'branch' }, 'no cases yet'],
  [{ kind: 'loop', each: '{{ webhook.body.items }}' }, 'each webhook.body.items'],
  [{ kind: 'loop', each: [1, 2] }, 'each 2 items'],
  [{ kind: 'loop', while: '{{ loop.index < 3 }}' }, 'while loop.index < 3'],
  [{ kind: 'wait', seconds: 5 }, '5 s'],
  [{ kind: 'wait', seconds: 5400 }, '90 min'],
  [{ kind: 'wait', seconds: '{{ vars.n }}' }, 'vars.n seconds'],
  [{ kind: 'wait', until: '2026-12-31' }, 'until 2026-12-31'],
  [{ kind: 'wait', callback: {} }, 'for a callback'],
  [{ kind: 'wait', callback: { timeout: 259_200 } }, 'for a callback, at most 3 days'],
  [{ kind: 'wait', approval: { title: '' } }, 'for an approval'],
  [{ kind: 'wait', approval: { title: 'Refund {{ vars.sum }}?' } }, 'for an approval: Refund {{ vars.sum }}?'],
  [{ kind: 'code', code: '// note\nimport x from "y"\n\nexport default 1' }, 'export default 1'],
  [{ kind: 'set', vars: { a: 1, b: 2 } }, 'a, b'],
  [{ kind: 'store', op: 'add', key: '{{ webhook.body.id }}' }, 'add webhook.body.id'],
  [{ kind: 'respond', status: 404 }, '404 to the caller'],
  [{ kind: 'fail', message: 'no' }, 'no'],
  [{ kind: 'other', name: 'Named' }, 'Named'],
])('%j: %s', (step, line) => expect(describeStep({ id: 'x', ...step } as never)).toBe(line))

it('labels a case by its name, else by its condition', () => {
  const branch = sampleFlow().steps[1]!
  expect([0, 1, 2].map((index) => describeCase(branch, index))).toEqual([
    'Large',
    'steps.order.body.total < 0',
    'case 3',
  ])
})

it('says when a schedule starts runs', () => {
  expect(describeTrigger({ kind: 'schedule', every: 300 })).toBe('every 300 s')
  expect(describeTrigger({ kind: 'schedule', cron: '0 7 * * 1-5', timezone: 'Europe/Berlin' })).toBe(
    '0 7 * * 1-5 Europe/Berlin',
  )
  expect(describeTrigger({ kind: 'schedule', cron: ['0 7 * * *', '0 9 * * *'] })).toBe('0 7 * * * · 0 9 * * * UTC')
})

it('says how a delivery gets in and what it gets back', () => {
  expect(describeTrigger({ kind: 'webhook' })).toBe('replies at once')
  expect(describeTrigger({ kind: 'webhook', sender: { name: 'stripe' } })).toBe('verified as stripe · replies at once')
  expect(
    describeTrigger({
      auth: { kind: 'signature', scheme: 'github' },
      when: 'x',
      dedupe: {},
      response: { mode: 'finished' },
    }),
  ).toBe('signed (github) · filtered · deduplicated · replies when finished')
})
