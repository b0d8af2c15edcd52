import type { StepKind } from './step-kind.ts'
import { bare } from './words.ts'

export const respond: StepKind = {
  kind: 'respond',
  icon: 'arrow-back-up',
  trailIcon: 'corner-down-left',
  color: { light: '#066287', dark: '#60ddff' },
  guide: 'flows#respond',
  purpose: 'Answer the waiting caller now',
  describe: (step) => `${bare(step['status'] ?? 200)} to the caller`,
  newSettings: () => ({ status: 200, body: { status: 'success' } }),
  answersCaller: true,
}
