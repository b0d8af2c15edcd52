// Examples of what is done when runs fail.
import type { TSchema } from 'typebox'
import { example } from './example.ts'
import { FailureFlowBody, FailureFlowRequest } from './failure-bodies.ts'

export const FAILURE_EXAMPLES: readonly [TSchema, unknown][] = [
  example(FailureFlowRequest, { flow: 'tell-the-team' }),
  example(FailureFlowBody, {
    flow: { id: 'flow_01m7h4zv0n1k5g7c8m2q4r6t8w', name: 'Tell the team', slug: 'tell-the-team' },
  }),
]
