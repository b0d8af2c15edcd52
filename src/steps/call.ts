import Type from 'typebox'
import { callFlow, defineStep } from '../engine/step-kind.ts'
import { flowName, json } from '../flow/schema.ts'

export const call = defineStep({
  kind: 'call',
  label: 'Call a flow',
  startsRun: true,
  settings: Type.Object(
    {
      flow: flowName(),
      input: Type.Optional(json('Any JSON value; the flow reads it as input.')),
      wait: Type.Optional(
        Type.Boolean({ default: true, description: 'Continue with the result, when the called run has ended.' }),
      ),
    },
    { additionalProperties: false },
  ),
  run: ({ settings: { flow, input, wait } }) => callFlow(flow, input ?? null, wait ?? true),
})
