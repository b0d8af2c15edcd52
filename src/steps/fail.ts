import Type from 'typebox'
import { defineStep, failed } from '../engine/step-kind.ts'
import { text } from '../flow/schema.ts'

export const fail = defineStep({
  kind: 'fail',
  label: 'Fail',
  secretFrom: ['message'],
  settings: Type.Object({ message: text({ minLength: 1 }) }, { additionalProperties: false }),
  run: ({ settings }) => failed({ code: 'failed', message: settings.message }),
})
