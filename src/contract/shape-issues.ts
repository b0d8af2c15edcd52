// Holds a value against a JSON Schema, with issues that a caller can act on.
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Issue } from '../flow/issue.ts'

type Fault = ReturnType<ReturnType<typeof Compile>['Errors']>[number]

function faultOf({ keyword, message, params }: Fault): string {
  if (keyword === 'boolean') return 'is not a known key'
  if (keyword === 'enum') return `must be one of ${(params as { allowedValues: unknown[] }).allowedValues.join(', ')}`
  return message
}

/** `whole` names the value in messages about all of it. An empty list: it fits. */
export function compileShape(schema: TSchema, whole: string): (value: unknown) => Issue[] {
  const check = Compile(schema)
  return (value) => {
    if (check.Check(value)) return []
    const issues = check
      .Errors(value)
      .filter((error) => error.keyword !== 'additionalProperties')
      .map((error) => ({
        path: error.instancePath,
        code: error.keyword === 'boolean' ? 'unknown_key' : error.keyword,
        message: `${error.instancePath.slice(1) || whole} ${faultOf(error)}`,
      }))
    return issues.length > 0 ? issues : [{ path: '', code: 'shape', message: `${whole} has the wrong shape` }]
  }
}
