import type { StepDocument } from '../../../src/flow/document.ts'
import { type NestedList, type StepKind, stepsOf } from './step-kind.ts'
import { asObject, bare } from './words.ts'

export const branch: StepKind = {
  kind: 'branch',
  icon: 'arrows-split-2',
  trailIcon: 'arrows-split',
  color: { light: '#503a72', dark: '#a594eb' },
  guide: 'flows#branch',
  purpose: 'Choose a path by a condition',
  describe(step) {
    const cases = casesOf(step)
    if (cases.length === 1) return bare(asObject(cases[0])['when']) || 'no condition yet'
    return cases.length === 0 ? 'no cases yet' : `the first of ${cases.length} cases that holds`
  },
  newSettings: () => ({ cases: [{ when: '', steps: [] }] }),
  outputs: () => ['case'],
  nestedLists(step) {
    const cases = casesOf(step)
    return [
      ...cases.map(
        (one, index): NestedList => ({
          key: `/cases/${index}/steps`,
          steps: stepsOf((one as { steps?: unknown } | null)?.steps),
          role: 'case',
          index,
        }),
      ),
      { key: '/otherwise', steps: stepsOf(step['otherwise']), role: 'otherwise', index: cases.length },
    ]
  },
}

const casesOf = (step: StepDocument): unknown[] => (Array.isArray(step['cases']) ? step['cases'] : [])
