// Checks query strings and bodies against their schemas, and reports issues that a caller can act on.
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import Value from 'typebox/value'
import { compileShape } from '../contract/shape-issues.ts'

/** Marks a body that its operation checks, with better messages than a schema gives. */
export const CHECKED_BY_OPERATION = 'x-checked-by-operation'

export const compileRequestCheck: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (CHECKED_BY_OPERATION in schema) return () => true
  // Compiled with the first request: all of them would be a fifth of the time of a start.
  let issuesOf: ReturnType<typeof compileShape> | null = null
  return (data: unknown) => {
    issuesOf ??= compileShape(schema, httpPart ?? 'request')
    // Query strings are text: this converts numbers first, and fills in defaults.
    const value = Value.Default(schema, httpPart === 'body' ? (data ?? {}) : Value.Convert(schema, data))
    const issues = issuesOf(value)
    if (issues.length === 0) return { value }
    const message = `The ${httpPart === 'querystring' ? 'query' : httpPart} is not as expected: ${issues[0]!.message}`
    return { error: Object.assign(new Error(message), { validation: issues }) }
  }
}

/** For a route that takes no body, or whose body has no required field. */
export function mayBeLeftOut(body: unknown): boolean {
  if (body === undefined) return true
  const { required = [], [CHECKED_BY_OPERATION]: isChecked } = body as {
    required?: string[]
    [CHECKED_BY_OPERATION]?: true
  }
  return !isChecked && required.length === 0
}
