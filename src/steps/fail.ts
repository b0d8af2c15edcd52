import Type from 'typebox'
import { CODE } from '../base/error-catalogue.ts'
import { defineStep, failed } from '../engine/step-kind.ts'
import { text } from '../flow/schema.ts'

export const fail = defineStep({
  kind: 'fail',
  label: 'Fail',
  secretFrom: ['message'],
  ends: 'failed',
  settings: Type.Object({ message: text({ minLength: 1 }) }, { additionalProperties: false }),
  run: ({ settings }) => failed({ code: CODE.failed, message: settings.message }),
})
