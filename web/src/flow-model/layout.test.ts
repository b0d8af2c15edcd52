import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StepDocument } from '../../../src/flow/document.ts'
import { allSteps, type EditedFlow, nestedLists } from './flow-tree.ts'
import { type Box, CARD, EMPTY_WIDTH, GAP, type LaidNode, type Layout, layoutFlow, linePath } from './layout.ts'
import { sampleFlow } from './sample-flow.testkit.ts'
import { nearestKey, neighbour } from './select-step.ts'

const flowOf = (...steps: StepDocument[]): EditedFlow => ({ name: 'F', trigger: { kind: 'webhook' }, steps })
const wait = (id: string): StepDocument => ({ id, kind: 'wait', seconds: 1 })
const node = (layout: Layout, id: string) => layout.nodes.find((one) => one.id === id)!
const middle = ({ box }: LaidNode) => box.x + box.width / 2
const bottom = ({ box }: LaidNode) => box.y + box.height
const overlap = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
const contains = (outer: Box, inner: Box) =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height

describe('a list of steps', () => {
  it('stands below the trigger on one axis, with an insert point in every gap', () => {
    const layout = layoutFlow(flowOf(wait('a'), wait('b')))
    const ids = layout.nodes.map(({ id }) => id)
    expect(ids).toEqual(['trigger', 'insert:/steps:0', 'step:a', 'insert:/steps:1', 'step:b', 'insert:/steps:2', 'end'])
    expect(new Set(layout.nodes.map(middle)).size).toBe(1)
    expect(node(layout, 'step:a').box.y).toBe(bottom(node(layout, 'trigger')) + GAP)
    expect(layout.lines.map(({ arrow }) => arrow)).toEqual([true, true, false])
  })

  it('is only the trigger, a line and an end while there are no steps', () => {
    const layout = layoutFlow(flowOf())
    expect(layout.nodes.map(({ type }) => type)).toEqual(['trigger', 'insert', 'end'])
    expect(layout.width).toBe(CARD.width)
  })

  it('draws no line on from a step that ends the run', () => {
    const layout = layoutFlow(flowOf({ id: 's', kind: 'stop' }))
    expect(layout.lines.map(({ id }) => id)).toEqual(['/steps:0'])
    expect(layout.nodes.some(({ type }) => type === 'end')).toBe(false)
    expect(layoutFlow(flowOf({ id: 'f', kind: 'fail', onError: 'continue' })).lines).toHaveLength(2)
  })
})

describe('a branch', () => {
  const branch: StepDocument = {
    id: 'b',
    kind: 'branch',
    cases: [
      { when: '', steps: [wait('x'), wait('y')] },
      { when: '', steps: [wait('z')] },
    ],
  }
  const layout = layoutFlow(flowOf(branch, wait('after')))

  it('puts its cases and the rest side by side under their labels', () => {
    const labels = layout.nodes.filter(({ type }) => type === 'label')
    expect(labels.map(({ id }) => id)).toEqual(['label:b/cases/0/steps', 'label:b/cases/1/steps', 'label:b/otherwise'])
    expect(new Set(labels.map(({ box }) => box.y)).size).toBe(1)
    expect(middle(labels[0]!)).toBe(middle(node(layout, 'step:x')))
    expect(middle(labels[1]!)).toBe(middle(node(layout, 'step:z')))
    expect(labels[2]!.box.width).toBe(EMPTY_WIDTH)
    expect(middle(node(layout, 'step:b'))).toBe(middle(labels[1]!))
  })

  it('joins them below the tallest, on the axis of its card', () => {
    const after = node(layout, 'step:after')
    expect(middle(after)).toBe(middle(node(layout, 'step:b')))
    expect(after.box.y).toBeGreaterThan(bottom(node(layout, 'step:y')) + GAP)
    const joins = layout.lines.filter(({ id }) => id.includes(':join:'))
    expect(new Set(joins.map(({ points }) => String(points.at(-1)))).size).toBe(1)
    expect(joins).toHaveLength(3)
  })

  it('does not join a case that ends the run', () => {
    const ending = { ...branch, cases: [{ when: '', steps: [{ id: 'no', kind: 'fail', message: '' }] }] }
    expect(layoutFlow(flowOf(ending)).lines.filter(({ id }) => id.includes(':join:'))).toHaveLength(1)
  })
})

describe('a loop', () => {
  it('is a frame around its steps that begins in the middle of its card', () => {
    const layout = layoutFlow(sampleFlow())
    const frame = node(layout, 'frame:lines')
    const inner = node(layout, 'frame:parts')
    expect(contains(frame.box, inner.box)).toBe(true)
    expect(contains(inner.box, node(layout, 'step:part').box)).toBe(true)
    const card = node(layout, 'step:lines')
    expect(frame.box.y).toBe(card.box.y + CARD.height / 2)
    expect(node(layout, 'step:done').box.y).toBe(bottom(frame) + GAP)
  })
})

const anyStep = fc.letrec<{ list: StepDocument[]; step: StepDocument }>((tie) => ({
  list: fc.array(tie('step'), { maxLength: 3 }),
  step: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom('http', 'stop', 'fail').map((kind) => ({ id: '', kind })),
    fc
      .record({ cases: fc.array(fc.record({ steps: tie('list') }), { maxLength: 3 }), otherwise: tie('list') })
      .map((settings) => ({ id: '', kind: 'branch', ...settings })),
    tie('list').map((steps) => ({ id: '', kind: 'loop', steps })),
  ),
}))

describe('any flow', () => {
  it('places every step once, inside the canvas, over no other', () => {
    fc.assert(
      fc.property(anyStep.list, (steps) => {
        const document = flowOf(...steps)
        const layout = layoutFlow(document)
        const solid = layout.nodes.filter(({ type }) => type !== 'frame')
        expect(layout.nodes.filter(({ type }) => type === 'step')).toHaveLength(allSteps(document).length)
        expect(new Set(layout.nodes.map(({ id }) => id)).size).toBe(layout.nodes.length)
        const canvas = { x: 0, y: 0, width: layout.width, height: layout.height }
        expect(layout.nodes.filter(({ box }) => !contains(canvas, box))).toEqual([])
        const over = solid.flatMap((a, i) => solid.slice(i + 1).filter((b) => overlap(a.box, b.box)))
        expect(over).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  it('has an insert point before and after every step of every list', () => {
    fc.assert(
      fc.property(anyStep.list, (steps) => {
        const document = flowOf(...steps)
        const lists = [
          steps.length,
          ...allSteps(document).flatMap(({ step }) => nestedLists(step).map((list) => list.steps.length)),
        ]
        expect(layoutFlow(document).nodes.filter(({ type }) => type === 'insert')).toHaveLength(
          lists.reduce((sum, length) => sum + length + 1, 0),
        )
      }),
      { numRuns: 60 },
    )
  })
})

describe('what is done when a run fails', () => {
  const types = (flow: EditedFlow, shows?: boolean) => layoutFlow(flow, shows).nodes.map(({ id }) => id)

  it('stands below the flow with a card of its own, and steps below that', () => {
    const layout = layoutFlow({ ...flowOf(wait('a')), onFailure: [wait('b')] })
    const card = node(layout, 'failure')
    expect(card.box.y).toBeGreaterThan(bottom(node(layout, 'end')))
    expect(node(layout, 'step:b').box.y).toBe(bottom(card) + GAP)
    expect(layout.nodes.map(({ id }) => id).slice(-4)).toEqual([
      'insert:/onFailure:0',
      'step:b',
      'insert:/onFailure:1',
      'end:failure',
    ])
    expect(layout.lines.map(({ id }) => id)).toEqual(['/steps:0', '/steps:1', '/onFailure:0', '/onFailure:1'])
    expect(layout.height).toBe(bottom(node(layout, 'end:failure')))
  })

  it('is a card with room for a first step where nothing is done, and a card alone where a flow is called', () => {
    expect(types(flowOf(), true)).toEqual(['trigger', 'insert:/steps:0', 'end', 'failure', 'insert:/onFailure:0'])
    expect(types({ ...flowOf(), onFailure: { flow: 'tell' } })).toEqual([
      'trigger',
      'insert:/steps:0',
      'end',
      'failure',
    ])
    expect(types(flowOf())).not.toContain('failure')
  })
})

it('draws lines with rounded corners', () => {
  expect(
    linePath([
      [0, 0],
      [0, 20],
      [40, 20],
      [40, 30],
    ]),
  ).toBe('M0,0L0,12Q0,20 8,20L32,20Q40,20 40,25L40,30')
})

describe('the arrow keys', () => {
  const go = (path: string | null, direction: Parameters<typeof neighbour>[2]) =>
    neighbour(sampleFlow(), path, direction, false)

  it('follow the reading order from the trigger to the last step', () => {
    expect(go(null, 'up')).toBe(null)
    expect(go(null, 'down')).toBe('/steps/0')
    expect(go('/steps/0', 'up')).toBe(null)
    expect(go('/steps/1', 'down')).toBe('/steps/1/cases/0/steps/0')
    expect(go('/steps/3', 'down')).toBe('/steps/3')
  })

  it('go from case to case', () => {
    expect(go('/steps/1/cases/0/steps/1', 'right')).toBe('/steps/1/cases/1/steps/0')
    expect(go('/steps/1/cases/1/steps/0', 'right')).toBe('/steps/1/cases/1/steps/0')
    expect(go('/steps/1/cases/1/steps/0', 'left')).toBe('/steps/1/cases/0/steps/0')
    expect(go('/steps/0', 'left')).toBe('/steps/0')
  })

  it('lead on to what is done when a run fails, where that is shown', () => {
    const flow: EditedFlow = { ...sampleFlow(), onFailure: [wait('told')] }
    expect(neighbour(flow, '/steps/3', 'down', true)).toBe('/onFailure')
    expect(neighbour(flow, '/onFailure', 'down', true)).toBe('/onFailure/0')
    expect(neighbour(flow, '/onFailure/0', 'down', true)).toBe('/onFailure/0')
    expect(neighbour(flow, '/onFailure', 'up', true)).toBe('/steps/3')
    expect(neighbour(sampleFlow(), '/steps/3', 'down', true)).toBe('/onFailure')
  })

  it('stay near a step that was deleted', () => {
    expect(nearestKey(sampleFlow(), '/steps/3')).toBe('done')
    expect(nearestKey(sampleFlow(), '/steps/4')).toBe('done')
    expect(nearestKey(sampleFlow(), '/steps/1/otherwise/0')).toBe('big')
    expect(nearestKey({ ...sampleFlow(), steps: [] }, '/steps/0')).toBe(null)
  })
})
