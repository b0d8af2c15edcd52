import type { StepKind } from './step-kind.ts'
import { bare } from './words.ts'

export const call: StepKind = {
  kind: 'call',
  icon: 'corner-down-right',
  trailIcon: 'corner-down-right',
  color: { light: '#9c30f0', dark: '#b46cfc' },
  guide: 'flows#call',
  purpose: 'Run another flow and use its result',
  describe: (step) => bare(step['flow']) || 'no flow yet',
  callsIn: 'flow',
  newSettings: () => ({ flow: '' }),
}
