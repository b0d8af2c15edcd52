import { type StepKind, stepsOf } from './step-kind.ts'
import { bare } from './words.ts'

export const loop: StepKind = {
  kind: 'loop',
  icon: 'repeat',
  trailIcon: 'repeat',
  color: { light: '#761847', dark: '#e296ca' },
  guide: 'flows#loop',
  purpose: 'Repeat for each item, or while a condition holds',
  describe: (step) =>
    step['while'] === undefined ? `each ${bare(step['each']) || 'of a list'}` : `while ${bare(step['while'])}`,
  newSettings: () => ({ each: '', steps: [] }),
  outputs: () => ['count', 'results', 'errors'],
  nestedLists: (step) => [{ key: '/steps', steps: stepsOf(step['steps']), role: 'body', index: 0 }],
  repeats: (step) => (Object.hasOwn(step, 'while') ? 'while' : 'each'),
  onErrorWords: { fail: 'Stop the loop', continue: 'Continue with the next item' },
}
