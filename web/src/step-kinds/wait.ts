import type { StepKind } from './step-kind.ts'
import { bare } from './words.ts'

export const wait: StepKind = {
  kind: 'wait',
  icon: 'clock',
  trailIcon: 'clock',
  color: { light: '#835e14', dark: '#e9c07f' },
  guide: 'flows#wait',
  purpose: 'Pause for a time, or until a date',
  describe: (step) => (step['until'] === undefined ? describeSeconds(step['seconds']) : `until ${bare(step['until'])}`),
  newSettings: () => ({ seconds: 5 }),
  outputs: () => ['until'],
  waits: true,
}

function describeSeconds(seconds: unknown): string {
  if (typeof seconds !== 'number') return seconds === undefined ? 'no time yet' : `${bare(seconds)} seconds`
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${round(seconds / 60)} min`
  return seconds < 172_800 ? `${round(seconds / 3600)} h` : `${round(seconds / 86_400)} days`
}

const round = (number: number): number => Math.round(number * 10) / 10
