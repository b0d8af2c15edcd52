// A condition as rows of field, operator and value, joined by and or by or: read from an expression that has this form, and written
// back as one.
import { type Expression, parseExpressionAt } from 'acorn'

/** What a field is compared with. `data` is an expression of its own, such as another field. */
export type RowValue =
  | { kind: 'text'; value: string }
  | { kind: 'number'; value: number }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'data'; value: string }

export type Comparison = '==' | '!=' | '===' | '!==' | '>' | '>=' | '<' | '<='
export type TextTest = 'includes' | 'startsWith' | 'endsWith'
/** Tests that need no value. */
export type Alone = 'isTrue' | 'isNotTrue' | 'exists' | 'isMissing'
export type Operator = Comparison | TextTest | `not ${TextTest}` | Alone

export interface ConditionRow {
  /** An expression without operators: `webhook.body.total`. */
  field: string
  operator: Operator
  /** Null where the operator needs none. */
  value: RowValue | null
}

export interface ConditionRows {
  join: 'and' | 'or'
  rows: ConditionRow[]
}

const COMPARISONS: readonly string[] = ['==', '!=', '===', '!==', '>', '>=', '<', '<='] satisfies Comparison[]
const TEXT_TESTS: readonly string[] = ['includes', 'startsWith', 'endsWith'] satisfies TextTest[]
const ALONE: readonly string[] = ['isTrue', 'isNotTrue', 'exists', 'isMissing'] satisfies Alone[]
const LONGEST = 20_000
const MOST_ROWS = 50

export const needsValue = (operator: Operator): boolean => !ALONE.includes(operator)

class OtherForm extends Error {}

export type ReadCondition = { rows: ConditionRows } | { reason: string }

/** `text` is a setting such as `{{ webhook.body.total > 100 }}`. The reason says why it has another form. */
export function readCondition(text: string): ReadCondition {
  const inside = /^\s*\{\{([\s\S]*)\}\}\s*$/.exec(text)?.[1]
  if (inside === undefined) return { reason: 'It is not one expression in braces' }
  const source = inside.trim()
  if (source.length > LONGEST) return { reason: 'It is too long' }
  let node: Expression
  try {
    node = parseExpressionAt(source, 0, { ecmaVersion: 2024, sourceType: 'module' })
  } catch {
    return { reason: 'It is not complete yet' }
  }
  if (node.end !== source.length) return { reason: 'It uses parentheses, or is not one expression' }
  try {
    return { rows: rowsOf(node, source) }
  } catch (error) {
    if (error instanceof OtherForm) return { reason: error.message }
    throw error
  }
}

function rowsOf(node: Expression, source: string): ConditionRows {
  if (node.type !== 'LogicalExpression') return { join: 'and', rows: [rowOf(node, source)] }
  if (node.operator === '??') throw new OtherForm('It uses ??')
  const parts: Expression[] = []
  let rest: Expression = node
  while (rest.type === 'LogicalExpression' && rest.operator === node.operator) {
    // `a && (b && c)` is grouped by hand.
    if (rest.right.type === 'LogicalExpression') throw new OtherForm('It mixes and with or')
    parts.unshift(rest.right)
    rest = rest.left
    if (parts.length > MOST_ROWS) throw new OtherForm(`It has more than ${MOST_ROWS} parts`)
  }
  if (rest.type === 'LogicalExpression') throw new OtherForm('It mixes and with or')
  return { join: node.operator === '&&' ? 'and' : 'or', rows: [rest, ...parts].map((part) => rowOf(part, source)) }
}

function rowOf(node: Expression, source: string): ConditionRow {
  if (node.type === 'UnaryExpression' && node.operator === '!') {
    const test = textTestOf(node.argument, source)
    if (test) return { ...test, operator: `not ${test.operator}` }
    return { field: fieldOf(node.argument, source), operator: 'isNotTrue', value: null }
  }
  if (node.type === 'BinaryExpression') {
    const { operator, left, right } = node
    if (!COMPARISONS.includes(operator)) throw new OtherForm(`It uses ${operator}`)
    const field = fieldOf(left as Expression, source)
    if (right.type === 'Literal' && right.raw === 'null' && (operator === '!=' || operator === '=='))
      return { field, operator: operator === '!=' ? 'exists' : 'isMissing', value: null }
    return { field, operator: operator as Comparison, value: rowValueOf(right, source) }
  }
  return textTestOf(node, source) ?? { field: fieldOf(node, source), operator: 'isTrue', value: null }
}

/** `field.includes('x')` and its like. */
function textTestOf(node: Expression, source: string): (ConditionRow & { operator: TextTest }) | null {
  // `a?.b.includes(c)` is a chain with the call in it.
  const call = node.type === 'ChainExpression' ? node.expression : node
  if (call.type !== 'CallExpression' || call.arguments.length !== 1 || call.optional) return null
  const { callee } = call
  const [argument] = call.arguments
  if (callee.type !== 'MemberExpression' || callee.computed || callee.optional || argument!.type === 'SpreadElement')
    return null
  if (callee.property.type !== 'Identifier' || !TEXT_TESTS.includes(callee.property.name)) return null
  const field = fieldOf(callee.object as Expression, source)
  return { field, operator: callee.property.name as TextTest, value: rowValueOf(argument as Expression, source) }
}

const PLAIN = new Set(['Identifier', 'MemberExpression', 'ChainExpression', 'CallExpression'])

/** Whatever binds more tightly than any operator keeps its source. */
function fieldOf(node: Expression, source: string): string {
  if (!PLAIN.has(node.type)) throw new OtherForm('It compares something else than a field')
  const field = source.slice(node.start, node.end)
  if (isValueWord(field)) throw new OtherForm('It compares something else than a field')
  return field
}

/** Identifiers of JavaScript that are values. */
const isValueWord = (text: string): boolean => ['undefined', 'NaN', 'Infinity'].includes(text)

function rowValueOf(node: Expression, source: string): RowValue {
  if (node.type === 'Literal') {
    const { value } = node
    if (typeof value === 'string') return { kind: 'text', value }
    if (typeof value === 'number' && Number.isFinite(value)) return { kind: 'number', value }
    if (typeof value === 'boolean') return { kind: 'boolean', value }
  }
  if (node.type === 'UnaryExpression' && node.operator === '-' && node.argument.type === 'Literal') {
    const { value } = node.argument
    if (typeof value === 'number' && Number.isFinite(value)) return { kind: 'number', value: -value }
  }
  return { kind: 'data', value: fieldOf(node, source) }
}

export const printCondition = ({ join, rows }: ConditionRows): string =>
  `{{ ${rows.map(printRow).join(join === 'and' ? ' && ' : ' || ')} }}`

function printRow({ field, operator, value }: ConditionRow): string {
  switch (operator) {
    case 'isTrue':
      return field
    case 'isNotTrue':
      return `!${field}`
    case 'exists':
      return `${field} != null`
    case 'isMissing':
      return `${field} == null`
  }
  const shown = printValue(value!)
  if (COMPARISONS.includes(operator)) return `${field} ${operator} ${shown}`
  const [, not, test] = /^(not )?(.+)$/.exec(operator)!
  return `${not ? '!' : ''}${field}.${test}(${shown})`
}

function printValue(value: RowValue): string {
  if (value.kind === 'number') return Object.is(value.value, -0) ? '-0' : String(value.value)
  return value.kind === 'text' ? quoted(value.value) : String(value.value)
}

const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** Whether rows say in full what they mean: written and read again, they are the same. */
export function isComplete(rows: ConditionRows): boolean {
  if (rows.rows.some(({ field, operator, value }) => field.trim() === '' || (needsValue(operator) && value === null)))
    return false
  const read = readCondition(printCondition(rows))
  return 'rows' in read && JSON.stringify(sorted(read.rows)) === JSON.stringify(sorted(rows))
}

/** One row has nothing to join. */
const sorted = ({ join, rows }: ConditionRows): unknown => [
  rows.length > 1 ? join : null,
  rows.map(({ field, operator, value }) => [field, operator, value?.kind ?? null, value?.value ?? null]),
]
