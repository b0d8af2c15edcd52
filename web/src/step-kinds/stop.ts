import type { StepKind } from './step-kind.ts'

export const stop: StepKind = {
  kind: 'stop',
  icon: 'player-stop',
  trailIcon: 'player-stop',
  color: { light: '#4f585e', dark: '#c4cad0' },
  guide: 'flows#stop',
  purpose: 'End the run as succeeded',
  describe: () => 'ends the run as succeeded',
  newSettings: () => ({}),
  ends: () => true,
}
