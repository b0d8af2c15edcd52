/** Evaluates templates: to values, text or conditions. */

import { CODE } from '../../base/error-catalogue.ts'
import type { Expression, Template } from './parse-template.ts'
import { type Bindings, MISSING } from './values/bindings.ts'
import { isTruthy, toText } from './values/conversion.ts'
import { ExpressionError, fail } from './values/errors.ts'
import { Evaluation, needed } from './values/evaluation.ts'
import { NeedsFile } from './values/needs-file.ts'
import { settle } from './values/settle.ts'

const LONGEST_QUOTE = 120

export function renderValue(template: Template, bindings: Bindings): unknown {
  return renderWith(new Evaluation(bindings), template)
}

/** Renders within an evaluation, so that several templates can share one budget. */
export function renderWith(run: Evaluation, template: Template): unknown {
  const whole = wholeExpression(template)
  return whole === undefined ? joinParts(run, template) : evaluateNeeded(run, whole)
}

/** Renders like `renderValue`, but returns MISSING if an inserted value is missing. */
export function renderOptional(template: Template, bindings: Bindings): unknown {
  const run = new Evaluation(bindings)
  const values = template.parts.map((part) => (typeof part === 'string' ? part : evaluate(run, part)))
  if (values.includes(MISSING)) return MISSING
  return wholeExpression(template) === undefined ? values.map(insertedText).join('') : values[0]
}

export function renderText(template: Template, bindings: Bindings): string {
  return joinParts(new Evaluation(bindings), template)
}

export function renderCondition(template: Template, bindings: Bindings): boolean {
  const expressions = template.parts.filter((part) => typeof part !== 'string' || part.trim() !== '')
  const [expression] = expressions
  if (expressions.length !== 1 || typeof expression !== 'object') {
    return fail('A condition must be one expression', 'Write {{ a == b }} rather than {{ a }} == {{ b }}.')
  }
  return isTruthy(evaluate(new Evaluation(bindings), expression))
}

function wholeExpression({ parts }: Template): Expression | undefined {
  return parts.length === 1 && typeof parts[0] === 'object' ? parts[0] : undefined
}

function joinParts(run: Evaluation, { parts }: Template): string {
  let text = ''
  for (const part of parts) text += typeof part === 'string' ? part : evaluateText(run, part)
  return text
}

export function evaluateText(run: Evaluation, expression: Expression): string {
  return insertedText(evaluateNeeded(run, expression))
}

/** Returns the value as text; lists and objects become JSON. */
function insertedText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : toText(value)
}

function evaluateNeeded(run: Evaluation, expression: Expression): unknown {
  return needed(run, evaluate(run, expression))
}

/** Returns JSON data or MISSING. */
function evaluate(run: Evaluation, expression: Expression): unknown {
  try {
    const value = expression.compute(run)
    return value === MISSING ? value : settle(run, value)
  } catch (error) {
    // The engine loads the file, and evaluates again.
    if (error instanceof NeedsFile) throw error
    if (error instanceof RangeError) throw tooMuchForTheEngine(expression)
    if (error instanceof ExpressionError && error.code === CODE.expression_failed) throw located(error, expression)
    throw error
  }
}

function located({ message, hint }: ExpressionError, { source }: Expression): ExpressionError {
  const quote = source.length > LONGEST_QUOTE ? `${source.slice(0, LONGEST_QUOTE)}…` : source
  return new ExpressionError(CODE.expression_failed, `${message}, in {{ ${quote} }}`, hint)
}

/** Reports the engine's own limits (stack, number of arguments) that were reached before the budget. */
function tooMuchForTheEngine(expression: Expression): ExpressionError {
  const error = new ExpressionError(CODE.expression_failed, 'The expression is too large', 'Use a code step for this.')
  return located(error, expression)
}
