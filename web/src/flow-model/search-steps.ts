// The steps whose id, name, kind or settings hold every word of a search; those that are called so come first.

import { SEALED_PREFIX } from '../../../src/base/sealed-prefix.ts'
import type { StepDocument } from '../../../src/flow/document.ts'
import { describeStep } from './describe-step.ts'
import { allSteps, type EditedFlow, nestedLists, stepKeys } from './flow-tree.ts'

export interface FoundStep {
  step: StepDocument
  path: string
  key: string
  /** What the step does, in one line. */
  line: string
}

export function searchSteps(document: EditedFlow, query: string, labelOf: (kind: string) => string): FoundStep[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const keys = stepKeys(document)
  const byName: FoundStep[] = []
  const bySetting: FoundStep[] = []
  for (const { step, path } of allSteps(document)) {
    const found = { step, path, key: keys.get(path)!, line: describeStep(step) }
    const name = `${step.id} ${step.name ?? ''} ${labelOf(step.kind)}`.toLowerCase()
    const text = `${name} ${settingsText(step)}`.toLowerCase()
    if (words.every((word) => name.includes(word))) byName.push(found)
    else if (words.every((word) => text.includes(word))) bySetting.push(found)
  }
  return [...byName, ...bySetting]
}

/** All texts of a step but those of the steps inside it, and nothing of a sealed secret. */
function settingsText(step: StepDocument): string {
  const inner = new Set<unknown>(nestedLists(step).map(({ steps }) => steps))
  const texts: string[] = []
  const visit = (value: unknown) => {
    if (typeof value === 'string' && !value.startsWith(SEALED_PREFIX)) texts.push(value)
    else if (typeof value === 'object' && value !== null && !inner.has(value)) Object.values(value).forEach(visit)
  }
  visit(step)
  return texts.join(' ')
}
