import { describe, expect, it } from 'vitest'
import type { StepDocument } from '../../../src/flow/document.ts'
import type { EditedFlow } from './flow-tree.ts'
import { mergeFlows } from './merge-flows.ts'

const wait = (id: string, seconds = 1): StepDocument => ({ id, kind: 'wait', seconds })
const flow = (...steps: StepDocument[]): EditedFlow => ({ name: 'Flow', trigger: { kind: 'webhook' }, steps })
const base = flow(wait('a'), wait('b'), wait('c'))
const merged = (mine: EditedFlow, theirs: EditedFlow, from = base) => {
  const both = mergeFlows(from, mine, theirs)
  expect(mergeFlows(from, theirs, mine)).toEqual(both)
  return both
}

describe('two people who edit a flow', () => {
  it('keep both where they changed different steps, the name or the trigger', () => {
    expect(merged(flow(wait('a', 9), wait('b'), wait('c')), flow(wait('a'), wait('b'), wait('c', 7)))).toEqual(
      flow(wait('a', 9), wait('b'), wait('c', 7)),
    )
    expect(merged({ ...base, name: 'New' }, { ...base, trigger: { kind: 'webhook', concurrency: 1 } })).toEqual({
      name: 'New',
      trigger: { kind: 'webhook', concurrency: 1 },
      steps: base.steps,
    })
  })

  it('keep both where they added, deleted and moved at different places', () => {
    expect(merged(flow(wait('a'), wait('new'), wait('b'), wait('c')), flow(wait('a'), wait('b')))).toEqual(
      flow(wait('a'), wait('new'), wait('b')),
    )
    expect(merged(flow(wait('c'), wait('a'), wait('b')), flow(wait('a', 9), wait('b'), wait('c')))).toEqual(
      flow(wait('c'), wait('a', 9), wait('b')),
    )
  })

  it('keep both inside of loops and branches', () => {
    const around = (inner: StepDocument[], otherwise?: StepDocument[], when = '{{ true }}') =>
      flow({ id: 'way', kind: 'branch', cases: [{ when, steps: inner }], ...(otherwise && { otherwise }) })
    const from = around([wait('x'), wait('y')])
    expect(merged(around([wait('x', 2), wait('y')]), around([wait('x'), wait('y')], [wait('z')]), from)).toEqual(
      around([wait('x', 2), wait('y')], [wait('z')]),
    )
    expect(
      merged(around([wait('x', 2), wait('y')]), around([wait('x'), wait('y')], undefined, '{{ false }}'), from),
    ).toEqual(around([wait('x', 2), wait('y')], undefined, '{{ false }}'))
  })

  it('have to choose where something would be lost', () => {
    const b = (seconds: number) => flow(wait('a'), wait('b', seconds), wait('c'))
    expect(merged(b(2), b(3))).toBeNull()
    expect(merged(b(2), flow(wait('a'), wait('c')))).toBeNull()
    expect(merged({ ...base, name: 'A' }, { ...base, name: 'B' })).toBeNull()
    const added = (id: string) => flow(wait('a'), wait(id), wait('b'), wait('c'))
    expect(merged(added('x'), added('y'))).toBeNull()
    expect(merged(flow(wait('b'), wait('a'), wait('c')), flow(wait('a'), wait('c'), wait('b')))).toBeNull()
    expect(merged(added('x'), flow(wait('a'), wait('b'), wait('c'), wait('x', 5)))).toBeNull()
  })
})
