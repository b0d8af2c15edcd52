import Type from 'typebox'
import { defineStep, stop as stopRun } from '../engine/step-kind.ts'

export const stop = defineStep({
  kind: 'stop',
  label: 'Stop',
  ends: 'succeeded',
  settings: Type.Object({}, { additionalProperties: false }),
  run: () => stopRun(),
})
