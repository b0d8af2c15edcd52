// Follows a renamed step into every template: `steps.old`, `loops.old` and `callbacks.old` become those of the new id, everything else stays.
import type { StepDocument } from '../../../src/flow/document.ts'
import { parseTemplate, TemplateSyntaxError } from '../../../src/flow/expression/index.ts'
import { stepKind } from '../step-kinds/index.ts'
import type { EditedFlow } from './flow-tree.ts'
import { isObject } from './is-object.ts'

export function renamedReferences(document: EditedFlow, before: string, after: string): EditedFlow {
  const rename = (text: string) => renameIn(text, before, after)
  const trigger = mapTexts(document.trigger, rename) as EditedFlow['trigger']
  const steps = mapSteps(document.steps, rename) as StepDocument[]
  // A list, or a flow that is called: neither names a step by itself.
  const onFailure = mapSteps(document.onFailure, rename) as EditedFlow['onFailure']
  if (trigger === document.trigger && steps === document.steps && onFailure === document.onFailure) return document
  return { ...document, trigger, steps, ...(onFailure && { onFailure }) }
}

type Rename = (text: string) => string

/** Roots whose names are ids of steps. */
const BY_ID = ['steps', 'loops', 'callbacks']

/** The labels of steps and cases hold no templates, nor does what the kind calls literal. */
function mapSteps(list: unknown, rename: Rename): unknown {
  return mapItems(list, (step) => {
    const own = isObject(step) ? stepKind(String(step['kind'])).literals : undefined
    const literal = ['id', 'kind', 'name', ...(own ?? [])]
    return mapKeys(step, (key, value) => {
      if (literal.includes(key)) return value
      if (key === 'steps' || key === 'otherwise') return mapSteps(value, rename)
      if (key === 'cases' || key === 'branches')
        return mapItems(value, (one) =>
          mapKeys(one, (name, item) =>
            name === 'name' ? item : name === 'steps' ? mapSteps(item, rename) : mapTexts(item, rename),
          ),
        )
      return mapTexts(value, rename)
    })
  })
}

function mapTexts(value: unknown, rename: Rename): unknown {
  if (typeof value === 'string') return rename(value)
  if (Array.isArray(value)) return mapItems(value, (item) => mapTexts(item, rename))
  return mapKeys(value, (_key, item) => mapTexts(item, rename))
}

function mapItems(list: unknown, change: (item: unknown) => unknown): unknown {
  if (!Array.isArray(list)) return list
  const items = list.map(change)
  return items.some((item, i) => item !== list[i]) ? items : list
}

function mapKeys(value: unknown, change: (key: string, item: unknown) => unknown): unknown {
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, item]) => [key, change(key, item)] as const)
  return entries.some(([key, item]) => item !== value[key]) ? Object.fromEntries(entries) : value
}

function renameIn(text: string, before: string, after: string): string {
  if (!text.includes('{{') || !text.includes(before)) return text
  try {
    const found = parseTemplate(text)
      .parts.flatMap((part) => (typeof part === 'string' ? [] : part.references))
      .filter(({ path: [root, id] }) => BY_ID.includes(root!) && id === before)
    return found
      .toSorted((a, b) => b.start - a.start)
      .reduce((result, { start, end }) => {
        const reference = result.slice(start, end)
        return result.slice(0, start) + renamedReference(reference, before, after) + result.slice(end)
      }, text)
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error
    // Half-written: what reads like a reference is one.
    return text.replaceAll(new RegExp(`\\b(${BY_ID.join('|')})(\\s*\\??\\.\\s*)${before}\\b`, 'g'), `$1$2${after}`)
  }
}

/** The first time the id is written in `steps.id`, `steps?.id`, `steps['id']` or `(steps).id`. */
function renamedReference(reference: string, before: string, after: string): string {
  const root = new RegExp(BY_ID.join('|')).exec(reference)![0]
  const from = reference.indexOf(root) + root.length
  const at = reference.indexOf(before, from)
  return reference.slice(0, at) + after + reference.slice(at + before.length)
}
