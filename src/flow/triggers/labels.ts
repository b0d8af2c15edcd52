// The labels of a trigger: short values out of what a run begins with, by which its runs are found again.
import Type from 'typebox'
import { BareObject } from '../../base/bare-object.ts'
import type { IssueCode } from '../../base/error-catalogue.ts'
import { isObject } from '../../base/is-object.ts'
import { ExpressionError } from '../expression/index.ts'
import { type Bindings, MISSING } from '../expression/values/bindings.ts'
import { quoted } from '../issue.ts'
import { text } from '../schema.ts'

/** The labels of a run, by name. */
export type Labels = Readonly<Record<string, string>>

export type CompiledLabels = readonly (readonly [name: string, value: (bindings: Bindings) => unknown])[]

/** The label that the inbox shows as the type of the event; that of a sender, if the flow has none of this name. */
export const EVENT_LABEL = 'event'

const MOST_LABELS = 10
const LONGEST_VALUE = 200
export const LABEL_NAME = /^[a-z][a-z0-9_]{0,63}$/

export const LabelsSetting = Type.Optional(
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    patternProperties: { '^[a-z][a-z0-9_]*$': text() },
    maxProperties: MOST_LABELS,
    description: `At most ${MOST_LABELS} labels, by which the runs are found: values of up to ${LONGEST_VALUE} characters.`,
  }),
)

/** Reports what the schema cannot express: the number of labels, and their names. */
export function checkLabels(
  { labels }: Record<string, unknown>,
  report: (path: string, code: IssueCode, message: string) => void,
): void {
  if (!isObject(labels)) return
  const names = Object.keys(labels)
  if (names.length > MOST_LABELS)
    report('/labels', 'too_long', `A trigger has at most ${MOST_LABELS} labels, and this one has ${names.length}.`)
  else
    for (const name of names)
      if (!LABEL_NAME.test(name))
        report(
          `/labels/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
          'invalid_format',
          `${quoted(name)} cannot name a label: use small letters, digits and _, with a letter first, up to 64 characters.`,
        )
}

/**
 * Evaluates labels, with what `hide` hides in their values. One that is missing, empty or fails is left out: a label never loses a
 * delivery.
 */
export function evaluateLabels(
  labels: CompiledLabels,
  bindings: Bindings,
  hide: (value: string) => string,
): Labels | null {
  let found: Record<string, string> | null = null
  for (const [name, evaluate] of labels) {
    const value = labelText(evaluate, bindings)
    if (value === null) continue
    found ??= new BareObject() as Record<string, string>
    found[name] = hide(value)
  }
  return found
}

function labelText(evaluate: (bindings: Bindings) => unknown, bindings: Bindings): string | null {
  let value: unknown
  try {
    value = evaluate(bindings)
  } catch (error) {
    if (error instanceof ExpressionError) return null
    throw error
  }
  if (value === MISSING || value === null || value === undefined) return null
  const label = storedValue(typeof value === 'string' ? value : JSON.stringify(value))
  return label === '' ? null : label
}

/** Returns a value as labels are stored: cut, and without what a database's text cannot hold. */
export function storedValue(value: string): string {
  const cut = value.slice(0, LONGEST_VALUE)
  return cut.isWellFormed() && !cut.includes('\0') ? cut : cut.toWellFormed().replaceAll('\0', '\u{fffd}')
}
