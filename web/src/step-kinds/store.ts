import type { StepKind } from './step-kind.ts'
import { bare, textOf } from './words.ts'

export const store: StepKind = {
  kind: 'store',
  icon: 'database',
  trailIcon: 'database',
  color: { light: '#185012', dark: '#80bb95' },
  guide: 'flows#store',
  purpose: 'Remember values between runs',
  describe: (step) => `${textOf(step['op'])} ${bare(step['key']) || 'no key yet'}`,
  newSettings: () => ({ op: 'get', key: '' }),
  outputs(step) {
    if (step['op'] === 'add') return ['added', 'value']
    return step['op'] === 'delete' ? ['deleted'] : ['value']
  },
}
