import Type from 'typebox'
import { defineStep, done } from '../engine/step-kind.ts'
import { condition, stepList } from '../flow/schema.ts'

const Case = Type.Object(
  { when: condition(), name: Type.Optional(Type.String({ maxLength: 200 })), steps: stepList('none') },
  { additionalProperties: false },
)

export const branch = defineStep({
  kind: 'branch',
  label: 'Branch',
  settings: Type.Object(
    { cases: Type.Array(Case, { minItems: 1 }), otherwise: Type.Optional(stepList('none')) },
    { additionalProperties: false },
  ),
  // Without otherwise a run in which no case holds goes past the branch.
  takesOneWay: (settings) => Object.hasOwn(settings, 'otherwise'),
  async run({ settings: { cases, otherwise }, decide, runSteps }) {
    const chosen = decide(() => cases.findIndex((one) => one.when()))
    const steps = chosen === -1 ? otherwise : cases[chosen]!.steps
    if (steps) await runSteps(steps)
    return done({ case: chosen === -1 ? null : chosen })
  },
})
