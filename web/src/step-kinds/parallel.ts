import type { StepDocument } from '../../../src/flow/document.ts'
import { type NestedList, type StepKind, stepsOf } from './step-kind.ts'
import { asObject, textOf } from './words.ts'

export const parallel: StepKind = {
  kind: 'parallel',
  icon: 'arrows-down',
  trailIcon: 'arrows-down',
  color: { light: '#a25a54', dark: '#f0904e' },
  guide: 'flows#parallel',
  purpose: 'Do several things at the same time',
  describe(step) {
    const names = branchesOf(step).map((one, index) => branchName(one, index))
    if (names.length === 0) return 'no branches yet'
    return step['finish'] === 'first' ? `the first of ${names.join(', ')}` : names.join(', ')
  },
  newSettings: () => ({ branches: [newBranch([]), newBranch(['branch 1'])] }),
  outputs: () => ['finished', 'errors'],
  nestedLists: (step) =>
    branchesOf(step).map(
      (one, index): NestedList => ({
        key: `/branches/${index}/steps`,
        steps: stepsOf(asObject(one)['steps']),
        role: 'lane',
        index,
        name: branchName(one, index),
      }),
    ),
  onErrorWords: { fail: 'Cancel the other branches', continue: 'Let all run to their end' },
}

/** A branch with a name that none of the others has. */
export function newBranch(taken: readonly unknown[]): { name: string; steps: StepDocument[] } {
  let number = taken.length + 1
  while (taken.includes(`branch ${number}`)) number++
  return { name: `branch ${number}`, steps: [] }
}

const branchesOf = (step: StepDocument): unknown[] => (Array.isArray(step['branches']) ? step['branches'] : [])

const branchName = (branch: unknown, index: number): string => textOf(asObject(branch)['name']) || `branch ${index + 1}`
