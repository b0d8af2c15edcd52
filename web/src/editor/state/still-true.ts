import { SEALED_PREFIX } from '../../../../src/base/sealed-prefix.ts'
import type { FieldIssue } from '../../fields/field-context.tsx'
import { type EditedFlow, valueAt } from '../../flow-model/flow-tree.ts'

export interface Found {
  /** What the service was asked about. */
  document: EditedFlow
  issues: readonly FieldIssue[]
}

/**
 * Returns the issues without what was said of a setting that has another value by now: it would hide what is wrong with the new one.
 * A secret that the service has sealed meanwhile is the same: what is below would move up, and down again a moment later.
 */
export function stillTrue({ document: asked, issues }: Found, document: EditedFlow): readonly FieldIssue[] {
  if (asked === document) return issues
  const kept = issues.filter(({ path }) => {
    const value = valueAt(document, path)
    if (typeof value === 'object' && value !== null) return true
    const before = valueAt(asked, path)
    return value === before || (isSealed(value) && typeof before === 'string' && before !== '')
  })
  return kept.length === issues.length ? issues : kept
}

const isSealed = (value: unknown): boolean => typeof value === 'string' && value.startsWith(SEALED_PREFIX)
