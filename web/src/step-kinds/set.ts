import type { StepDocument } from '../../../src/flow/document.ts'
import type { StepKind } from './step-kind.ts'
import { asObject } from './words.ts'

const variables = (step: StepDocument): Record<string, unknown> => asObject(step['vars'])

export const set: StepKind = {
  kind: 'set',
  icon: 'variable',
  trailIcon: 'braces',
  color: { light: '#007a84', dark: '#42a198' },
  guide: 'flows#set',
  purpose: 'Set variables',
  describe: (step) => Object.keys(variables(step)).join(', ') || 'no variables yet',
  newSettings: () => ({ vars: {} }),
  firstId: 'vars',
  outputs: (step) => Object.keys(variables(step)),
  variables,
}
