// Holds query strings and bodies against their schemas, with issues a caller can act on.
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import Value from 'typebox/value'
import type { Issue } from '../flow/issue.ts'

type Fault = ReturnType<ReturnType<typeof Compile>['Errors']>[number]

function faultOf({ keyword, message, params }: Fault): string {
  if (keyword === 'boolean') return 'is not a known key'
  if (keyword === 'enum') return `must be one of ${(params as { allowedValues: unknown[] }).allowedValues.join(', ')}`
  return message
}

/** Marks a body that its operation checks, with better messages than a schema gives. */
export const CHECKED_BY_OPERATION = 'x-checked-by-operation'

export const compileRequestCheck: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (CHECKED_BY_OPERATION in schema) return () => true
  const check = Compile(schema)
  return (data: unknown) => {
    // Query strings are text: numbers are made of them first. Defaults are filled in.
    const value = Value.Default(schema, httpPart === 'body' ? (data ?? {}) : Value.Convert(schema, data))
    if (check.Check(value)) return { value }
    const issues: Issue[] = check
      .Errors(value)
      .filter((error) => error.keyword !== 'additionalProperties')
      .map((error) => ({
        path: error.instancePath,
        code: error.keyword === 'boolean' ? 'unknown_key' : error.keyword,
        message: `${error.instancePath.slice(1) || (httpPart ?? 'request')} ${faultOf(error)}`,
      }))
    const message = `The ${httpPart === 'querystring' ? 'query' : httpPart} is not as expected: ${issues[0]?.message ?? 'wrong shape'}`
    return { error: Object.assign(new Error(message), { validation: issues }) }
  }
}
