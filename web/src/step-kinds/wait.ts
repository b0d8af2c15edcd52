import type { StepDocument } from '../../../src/flow/document.ts'
import type { StepKind } from './step-kind.ts'
import { asObject, bare } from './words.ts'

/** What a wait may wait for: the setting that says so. */
export const WAYS = ['seconds', 'until', 'callback', 'approval'] as const
export type Way = (typeof WAYS)[number]

export const wayOf = (step: object): Way => WAYS.findLast((way) => Object.hasOwn(step, way)) ?? 'seconds'

export const wait: StepKind = {
  kind: 'wait',
  icon: 'clock',
  trailIcon: 'clock',
  color: { light: '#835e14', dark: '#e9c07f' },
  guide: 'flows#wait',
  purpose: 'Pause for a time, or until somebody answers',
  describe,
  newSettings: () => ({ seconds: 5 }),
  outputs: (step) => OUTPUTS[wayOf(step)],
  waits: true,
  awaits(step) {
    const way = wayOf(step)
    return way === 'callback' || way === 'approval' ? way : null
  },
  rootsIn(setting, roots) {
    if (setting.startsWith('/callback/auth/')) return ['env', 'config', 'connections']
    if (setting === '/callback/when') return [...roots, 'callback']
    // Whoever has the link reads them.
    return PUBLIC.includes(setting) ? roots.filter((root) => root !== 'env' && root !== 'connections') : roots
  },
}

const PUBLIC = ['/approval/title', '/approval/text']

const TIME = ['until']
const OUTPUTS: Record<Way, string[]> = {
  seconds: TIME,
  until: TIME,
  callback: ['body', 'headers', 'query', 'rawBody', 'receivedAt', 'timedOut'],
  approval: ['answer', 'fields', 'by', 'at', 'timedOut'],
}

function describe(step: StepDocument): string {
  const way = wayOf(step)
  if (way === 'seconds') return describeSeconds(step['seconds'])
  if (way === 'until') return `until ${bare(step['until'])}`
  const { title, timeout } = asObject(step[way])
  const most = timeout === undefined ? '' : `, at most ${describeSeconds(timeout)}`
  return way === 'callback' ? `for a callback${most}` : `for an approval${title ? `: ${bare(title)}` : ''}`
}

function describeSeconds(seconds: unknown): string {
  if (typeof seconds !== 'number') return seconds === undefined ? 'no time yet' : `${bare(seconds)} seconds`
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${round(seconds / 60)} min`
  return seconds < 172_800 ? `${round(seconds / 3600)} h` : `${round(seconds / 86_400)} days`
}

const round = (number: number): number => Math.round(number * 10) / 10
