import { expect, it } from 'vitest'
import type { StepDocument } from '../../../src/flow/document.ts'
import { replyingSteps } from './replying-steps.ts'

const flow = (...steps: StepDocument[]) => ({ name: 'x', trigger: {}, steps })
const answer = (id: string): StepDocument => ({ id, kind: 'respond' })
const branch = (...steps: StepDocument[]): StepDocument => ({ id: 'b', kind: 'branch', cases: [{ when: true, steps }] })
const ids = (document: ReturnType<typeof flow>) => {
  const { maybe, always } = replyingSteps(document)
  return [maybe.map(({ step }) => step.id), always?.step.id ?? null]
}

it('tells the step that always answers from those that may', () => {
  expect(ids(flow({ id: 'w', kind: 'wait', seconds: 1 }))).toEqual([[], null])
  expect(ids(flow(branch(answer('early')), answer('reply'), answer('late')))).toEqual([['early'], 'reply'])
  expect(ids(flow(branch(answer('early'))))).toEqual([['early'], null])
})

it('knows that nothing after the end of the run answers', () => {
  expect(ids(flow({ id: 's', kind: 'stop' }, answer('never')))).toEqual([[], null])
})
