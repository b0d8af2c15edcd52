import type { StepKind } from './step-kind.ts'

export const stop: StepKind = {
  kind: 'stop',
  icon: 'player-stop',
  trailIcon: 'player-stop',
  purpose: 'End the run as succeeded',
  describe: () => 'ends the run as succeeded',
  newSettings: () => ({}),
  ends: () => true,
}
