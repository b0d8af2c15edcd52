/** Splits a template into literal text and compiled expressions. */
import { type Expression as Node, parseExpressionAt } from 'acorn'
import { compileExpression } from './compile/compile-expression.ts'
import type { Reference } from './compile/compiler.ts'
import { TemplateSyntaxError } from './values/errors.ts'
import type { Compute } from './values/evaluation.ts'

export interface Expression {
  /** The source as written, without the braces and the white space inside them. */
  source: string
  /** Offsets of `source` in the template. */
  start: number
  end: number
  references: readonly Reference[]
  /** Private to this folder. */
  compute: Compute
  /** Private to this folder: the expression is written as `raw(…)`. */
  isRaw: boolean
  readsFile: boolean
}

export interface Template {
  source: string
  /** Literal text and expressions, in order. */
  parts: readonly (string | Expression)[]
}

/** Parsing takes about a millisecond per thousand characters of an expression, and is not interrupted. */
const LONGEST_EXPRESSION = 20_000
const LONGEST_TOGETHER = 100_000

export function parseTemplate(source: string): Template {
  const parts: (string | Expression)[] = []
  let from = 0
  let together = 0
  for (let open = source.indexOf('{{'); open !== -1; open = source.indexOf('{{', from)) {
    if (open > from) parts.push(source.slice(from, open))
    const { expression, close } = parseInsertion(source, open)
    parts.push(expression)
    together += expression.source.length
    if (together > LONGEST_TOGETHER) {
      const message = `The expressions of this text have more than ${LONGEST_TOGETHER} characters together`
      throw new TemplateSyntaxError(message, open, 'Use a code step for this.')
    }
    from = close
  }
  if (from < source.length) parts.push(source.slice(from))
  return { source, parts }
}

/** Parses like parseTemplate, but returns the error. */
export function tryTemplate(source: string): Template | TemplateSyntaxError {
  try {
    return parseTemplate(source)
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return error
    throw error
  }
}

function parseInsertion(source: string, open: number): { expression: Expression; close: number } {
  const inside = open + 2
  const first = skipWhiteSpace(source, inside)
  if (source.startsWith('}}', first)) {
    throw new TemplateSyntaxError('There is no expression between {{ and }}', open, 'Write one, or remove the braces.')
  }
  // A slice costs nothing, whereas acorn counts the lines before its start position.
  const rest = source.slice(inside, inside + LONGEST_EXPRESSION)
  if (rest.length === LONGEST_EXPRESSION && !rest.includes('}}')) throw tooLong(open)
  try {
    const node = parseOne(rest, inside)
    const start = inside + node.start
    const end = inside + node.end
    const close = findClose(source, open, start, end)
    const compiled = compileExpression(source, inside, node)
    return { expression: { source: source.slice(start, end), start, end, ...compiled }, close }
  } catch (error) {
    throw asTemplateError(error, source, open)
  }
}

function parseOne(text: string, offset: number): Node {
  return parseExpressionAt(text, 0, {
    ecmaVersion: 2024,
    sourceType: 'module',
    allowHashBang: false,
    onComment(_isBlock, _text, start) {
      const hint = 'Describe the step in its name instead.'
      throw new TemplateSyntaxError('Comments cannot be used in expressions', offset + start, hint)
    },
  })
}

/** Returns the offset after `}}`. Parentheses around the whole expression are outside its node, between `{{` and `start`. */
function findClose(source: string, open: number, start: number, end: number): number {
  let at = skipWhiteSpace(source, end)
  const parentheses = source.slice(open, start).split('(').length - 1
  for (let count = 0; count < parentheses; count++) at = skipWhiteSpace(source, at + 1)
  if (source.startsWith('}}', at)) return at + 2
  if (at >= source.length) throw neverClosed(open)
  throw new TemplateSyntaxError(
    `The expression ends here, so }} was expected instead of ${JSON.stringify(source[at])}`,
    at,
    'Only one expression is allowed between {{ and }}.',
  )
}

function skipWhiteSpace(source: string, from: number): number {
  const whiteSpace = /\s*/y
  whiteSpace.lastIndex = from
  whiteSpace.test(source)
  return whiteSpace.lastIndex
}

function asTemplateError(error: unknown, source: string, open: number): unknown {
  if (error instanceof TemplateSyntaxError) return error
  // Acorn turns most stack overflows into a syntax error of its own.
  if (error instanceof RangeError || (error instanceof SyntaxError && error.message.includes('stack space'))) {
    return new TemplateSyntaxError('The expression is nested too deep', open, 'Use a code step for this.')
  }
  if (!(error instanceof SyntaxError)) return error
  const position = open + 2 + (error as SyntaxError & { pos: number }).pos
  if (position >= source.length) return neverClosed(open)
  // Acorn adds line and column, counted from the expression.
  const message = error.message.replace(/ \(\d+:\d+\)$/, '')
  const found = message === 'Unexpected token' ? ` ${JSON.stringify(source[position])}` : ''
  return new TemplateSyntaxError(
    `${message}${found} in the expression`,
    position,
    'Expressions are written in JavaScript.',
  )
}

function tooLong(open: number): TemplateSyntaxError {
  const message = `The expression is too long: it has more than ${LONGEST_EXPRESSION} characters`
  return new TemplateSyntaxError(message, open, 'Set parts of it as vars first, or use a code step.')
}

function neverClosed(open: number): TemplateSyntaxError {
  const hint = "Add }} after the expression. To write two braces as text, use {{ '{{' }}."
  return new TemplateSyntaxError('This {{ is never closed', open, hint)
}
