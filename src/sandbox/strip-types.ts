// Replaces TypeScript's types by blanks, so that lines and columns stay those of the user's text.
import { stripTypeScriptTypes } from 'node:module'
import { CODE } from '../base/error-catalogue.ts'
import type { Failure } from './messages.ts'

/**
 * Thrown when deep nesting has broken Node's parser. That parser is a WebAssembly which stays broken, and the thread's later
 * imports with it: so only workers call it, and a worker in which it broke is discarded.
 */
export class ParserBroke extends Error {}

export class NotStrippable extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

/** `set<string>(x)` is JavaScript too, with another meaning; code without such a place means the same in both. */
export const readsDifferently = (code: string): boolean => /[^=]>\s*[(`]/.test(code)

export function stripTypes(code: string): string {
  try {
    return stripTypeScriptTypes(code, { mode: 'strip' })
  } catch (error) {
    const { code: kind, message, stack } = error as { code?: string; message: string; stack?: string }
    if (kind !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' && kind !== 'ERR_INVALID_TYPESCRIPT_SYNTAX')
      throw new ParserBroke(message)
    const line = /^[^\n]*:(\d+)\n/.exec(stack ?? '')?.[1]
    const column = /^( *)\^/m.exec(stack ?? '')?.[1]
    const at = line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column.length + 1}`})`
    throw new NotStrippable({
      code: CODE.code_failed,
      message: `SyntaxError: ${message}${at}`,
      hint:
        kind === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
          ? 'Types are removed, not compiled: write it as plain JavaScript, for example an object in place of an enum.'
          : 'Correct the code at this place; the step runs JavaScript, or TypeScript whose types can be stripped.',
    })
  }
}
