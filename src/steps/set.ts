import Type from 'typebox'
import { assign, defineStep } from '../engine/step-kind.ts'
import { json } from '../flow/schema.ts'

export const set = defineStep({
  kind: 'set',
  label: 'Set variables',
  secretFrom: ['vars'],
  assigns: 'vars',
  settings: Type.Object({ vars: Type.Record(Type.String(), json()) }, { additionalProperties: false }),
  run: ({ settings }) => assign(settings.vars),
})
