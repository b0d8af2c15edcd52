import type { StepKind } from './step-kind.ts'
import { bare, textOf } from './words.ts'

export const store: StepKind = {
  kind: 'store',
  icon: 'database',
  trailIcon: 'database',
  purpose: 'Remember values between runs',
  describe: (step) => `${textOf(step['op'])} ${bare(step['key']) || 'no key yet'}`,
  newSettings: () => ({ op: 'get', key: '' }),
  outputs(step) {
    if (step['op'] === 'add') return ['added', 'value']
    return step['op'] === 'delete' ? ['deleted'] : ['value']
  },
}
