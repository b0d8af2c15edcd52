import type { StepKind } from './step-kind.ts'
import { textOf } from './words.ts'

export const fail: StepKind = {
  kind: 'fail',
  icon: 'alert-octagon',
  trailIcon: 'x',
  color: { light: '#971b34', dark: '#d17b71' },
  guide: 'flows#fail',
  purpose: 'End the run as failed',
  describe: (step) => textOf(step['message']) || 'ends the run as failed',
  newSettings: () => ({ message: '' }),
  ends: (step) => step.onError !== 'continue',
}
