// What is done when a run has failed, edited, compared and merged as the steps of the flow are.
import { describe, expect, it } from 'vitest'
import type { StepDocument } from '../../../src/flow/document.ts'
import { formatFlowYaml, parseFlowText } from '../../../src/flow/flow-text.ts'
import { describeFailure } from './describe-step.ts'
import { diffFlows } from './diff-flows.ts'
import { deleteStep, insertStep, moveStep, newStep, renameStep } from './edit-steps.ts'
import { allSteps, type EditedFlow, findStep, ON_FAILURE } from './flow-tree.ts'
import { mergeFlows } from './merge-flows.ts'
import { replyingSteps } from './replying-steps.ts'
import { sampleFlow } from './sample-flow.testkit.ts'
import { nearestKey } from './select-step.ts'
import { takenPath } from './taken-path.ts'

const told: StepDocument = { id: 'told', kind: 'set', vars: { why: '{{ error.message }} {{ steps.order.status }}' } }
const after: StepDocument = { id: 'after', kind: 'wait', seconds: 1 }
const handled = (): EditedFlow => ({ ...sampleFlow(), onFailure: [told, after] })

describe('the steps for failed runs', () => {
  it('come after those of the flow, and are found by their id', () => {
    expect(
      allSteps(handled())
        .slice(-2)
        .map(({ path, list }) => [path, list]),
    ).toEqual([
      ['/onFailure/0', ON_FAILURE],
      ['/onFailure/1', ON_FAILURE],
    ])
    expect(findStep(handled(), 'told')?.path).toBe('/onFailure/0')
    expect(allSteps({ ...sampleFlow(), onFailure: { flow: 'tell' } })).toHaveLength(allSteps(sampleFlow()).length)
  })

  it('begin with the first that is added, and are gone with the last that is deleted', () => {
    const step = newStep(handled(), 'set')
    const { document, path } = insertStep(sampleFlow(), { list: ON_FAILURE, index: 0 }, step)
    expect(path).toBe('/onFailure/0')
    expect(document.onFailure).toEqual([step])
    expect(deleteStep(document, path)).toEqual(sampleFlow())
    expect(deleteStep(handled(), '/onFailure/0').onFailure).toEqual([after])
    expect(nearestKey(deleteStep(document, path), path)).toBe(null)
  })

  it('can be moved there from the flow, and back', () => {
    const there = moveStep(handled(), '/steps/3', { list: ON_FAILURE, index: 1 })!
    expect(there.path).toBe('/onFailure/1')
    expect(there.document.steps).toHaveLength(3)
    expect(moveStep(there.document, '/onFailure/1', { list: '/steps', index: 3 })!.document).toEqual(handled())
  })

  it('follow a step of the flow that is renamed', () => {
    const renamed = renameStep(handled(), '/steps/0', 'first')
    expect(renamed.onFailure).toEqual([
      { ...told, vars: { why: '{{ error.message }} {{ steps.first.status }}' } },
      after,
    ])
    expect(renameStep({ ...sampleFlow(), onFailure: { flow: 'order' } }, '/steps/0', 'first').onFailure).toEqual({
      flow: 'order',
    })
  })

  it('answer nobody', () => {
    const flow: EditedFlow = { ...handled(), onFailure: [{ id: 'say', kind: 'respond', body: 'x' }] }
    expect(replyingSteps(flow)).toEqual({ maybe: [], always: null })
  })

  it('are a way of their own for a run that has failed', () => {
    const walked = [
      { id: 'order', status: 'failed' },
      { id: 'told', status: 'succeeded' },
    ]
    const { steps, lines } = takenPath(handled(), walked)
    expect([...steps]).toEqual(['/steps/0', '/onFailure/0'])
    expect([...lines]).toEqual(['/steps:0', '/onFailure:0'])
  })
})

it.each([
  ['nothing', undefined],
  ['steps', [told, after]],
  ['no step', []],
  ['a flow', { flow: 'tell-the-team' }],
])('goes through YAML without loss: %s', (_, onFailure) => {
  const flow: EditedFlow = { ...sampleFlow(), ...(onFailure && { onFailure }) }
  expect(parseFlowText(formatFlowYaml(flow))).toEqual(flow)
})

it('is said in a line', () => {
  const named = (flow: string) => (flow === 'tell' ? 'Tell the team' : flow)
  expect(describeFailure(undefined, 'nothing', named)).toBe('nothing')
  expect(describeFailure([told], '', named)).toBe('1 step')
  expect(describeFailure([], '', named)).toBe('nothing is done')
  expect(describeFailure({ flow: 'tell' }, '', named)).toBe('calls Tell the team')
  expect(describeFailure({ flow: '' }, '', named)).toBe('no flow yet')
})

it('is told as changed by what is done, and step by step', () => {
  const summaries = (before: EditedFlow, later: EditedFlow) =>
    diffFlows(before, later).map(({ subject, path, summary }) => [subject, path, summary])
  expect(summaries(sampleFlow(), { ...sampleFlow(), onFailure: { flow: 'tell' } })).toEqual([
    ['When a run fails', ON_FAILURE, 'The flow tell is called'],
  ])
  expect(summaries(sampleFlow(), { ...sampleFlow(), onFailure: [told] })).toEqual([
    ['When a run fails', ON_FAILURE, 'Steps run'],
    ['told', '/onFailure/0', 'Added at the beginning of what is done when a run fails'],
  ])
  const moved = moveStep(handled(), '/steps/3', { list: ON_FAILURE, index: 2 })!.document
  expect(summaries(handled(), moved)).toEqual([['done', '/onFailure/2', 'Moved after after']])
})

it('keeps the steps of two people, and asks where one chose a flow', () => {
  const base = handled()
  const mine: EditedFlow = { ...base, onFailure: [{ ...told, name: 'mine' }, after] }
  const theirs: EditedFlow = { ...base, onFailure: [told, { ...after, seconds: 2 }] }
  expect(mergeFlows(base, mine, theirs)?.onFailure).toEqual([
    { ...told, name: 'mine' },
    { ...after, seconds: 2 },
  ])
  expect(mergeFlows(base, mine, { ...base, onFailure: { flow: 'tell' } })).toBe(null)
  expect(mergeFlows(base, base, { ...base, onFailure: { flow: 'tell' } })?.onFailure).toEqual({ flow: 'tell' })
})
