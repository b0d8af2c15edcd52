import type { BinaryExpression, ConditionalExpression, Expression, LogicalExpression, UnaryExpression } from 'acorn'
import { joinTexts } from '../functions/string-methods.ts'
import { MISSING } from '../values/bindings.ts'
import { isTruthy, toNumber, toText } from '../values/conversion.ts'
import { DateValue } from '../values/date-value.ts'
import { compare, looselyEqual, strictlyEqual } from '../values/equality.ts'
import { type Compute, type Evaluation, needed } from '../values/evaluation.ts'
import type { Compiler } from './compiler.ts'

export function compileUnary(compiler: Compiler, node: UnaryExpression): Compute {
  const operand = node.operator === 'typeof' ? compiler.compileOptional(node.argument) : compiler.compile(node.argument)
  switch (node.operator) {
    case '!':
      return (run) => !isTruthy(operand(run))
    case '-':
      return (run) => -toNumber(run, needed(run, operand(run)))
    case '+':
      return (run) => toNumber(run, needed(run, operand(run)))
    case 'typeof':
      return (run) => typeName(operand(run))
    default:
      return compiler.refuse(node, `The operator ${node.operator} cannot be used in expressions`)
  }
}

function typeName(value: unknown): string {
  return value === MISSING ? 'undefined' : typeof value
}

export function compileLogical(compiler: Compiler, node: LogicalExpression): Compute {
  const left = node.operator === '&&' ? compiler.compile(node.left) : compiler.compileOptional(node.left)
  const right = compiler.compile(node.right)
  switch (node.operator) {
    case '&&':
      return (run) => {
        const value = left(run)
        return isTruthy(value) ? right(run) : value
      }
    case '||':
      return (run) => {
        const value = left(run)
        return isTruthy(value) ? value : right(run)
      }
    default:
      return (run) => {
        const value = left(run)
        return value === MISSING || value === null ? right(run) : value
      }
  }
}

export function compileConditional(compiler: Compiler, node: ConditionalExpression): Compute {
  const test = compiler.compile(node.test)
  const consequent = compiler.compile(node.consequent)
  const alternate = compiler.compile(node.alternate)
  return (run) => (isTruthy(test(run)) ? consequent(run) : alternate(run))
}

type Operation = (run: Evaluation, a: unknown, b: unknown) => unknown

/** The operators that may test a missing value. */
const EQUALITIES: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['==', looselyEqual],
  ['!=', (run, a, b) => !looselyEqual(run, a, b)],
  ['===', strictlyEqual],
  ['!==', (run, a, b) => !strictlyEqual(run, a, b)],
])

const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['+', add],
  ['-', (run, a, b) => toNumber(run, a) - toNumber(run, b)],
  ['*', (run, a, b) => toNumber(run, a) * toNumber(run, b)],
  ['/', (run, a, b) => toNumber(run, a) / toNumber(run, b)],
  ['%', (run, a, b) => toNumber(run, a) % toNumber(run, b)],
  ['**', (run, a, b) => toNumber(run, a) ** toNumber(run, b)],
  ['<', (run, a, b) => compare(run, a, b) < 0],
  ['>', (run, a, b) => compare(run, a, b) > 0],
  ['<=', (run, a, b) => compare(run, a, b) <= 0],
  ['>=', (run, a, b) => compare(run, a, b) >= 0],
])

export function compileBinary(compiler: Compiler, node: BinaryExpression): Compute {
  if (node.left.type === 'PrivateIdentifier')
    return compiler.refuse(node, 'Private names cannot be used in expressions')
  const equality = EQUALITIES.get(node.operator)
  const asksWhetherThere = equality !== undefined && (isNothing(node.left) || isNothing(node.right))
  const compile = (side: Expression) => (asksWhetherThere ? compiler.compileOptional(side) : compiler.compile(side))
  const left = compile(node.left)
  const right = compile(node.right)
  if (equality !== undefined) return (run) => equality(run, left(run), right(run))
  const operation =
    OPERATIONS.get(node.operator) ??
    compiler.refuse(node, `The operator ${node.operator} cannot be used in expressions`)
  return (run) => {
    const a = needed(run, left(run))
    return operation(run, a, needed(run, right(run)))
  }
}

const isNothing = (node: Expression): boolean =>
  (node.type === 'Literal' && node.raw === 'null') || (node.type === 'Identifier' && node.name === 'undefined')

function add(run: Evaluation, a: unknown, b: unknown): unknown {
  if (typeof a === 'number' && typeof b === 'number') return a + b
  const isText = typeof a === 'string' || typeof b === 'string' || a instanceof DateValue || b instanceof DateValue
  return isText ? joinTexts(run, toText(a), toText(b)) : toNumber(run, a) + toNumber(run, b)
}
