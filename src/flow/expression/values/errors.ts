import { CODE, EXPRESSION_ERRORS, type ExpressionErrorCode } from '../../../base/error-catalogue.ts'

export class TemplateSyntaxError extends Error {
  override readonly name = 'TemplateSyntaxError'
  readonly position: number
  readonly hint: string
  /** The path of the string in the tree given to `compileTree`. */
  readonly path: string[]

  constructor(message: string, position: number, hint: string, path: string[] = []) {
    super(message)
    this.position = position
    this.hint = hint
    this.path = path
  }
}

export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
  readonly code: ExpressionErrorCode
  readonly hint: string

  constructor(code: ExpressionErrorCode, message: string, hint: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

export const CODE_STEP_HINT = EXPRESSION_ERRORS.expression_failed.hint

/** Throws ExpressionError. Messages name types and sources, never values: a value may be a secret. */
export function fail(message: string, hint: string = CODE_STEP_HINT): never {
  throw new ExpressionError(CODE.expression_failed, message, hint)
}
