// Reads JSON Schemas as other tools do: by Ajv in its strict mode, which refuses unknown keywords. Ajv is resolved from
// Fastify and the MCP SDK, which depend on it, so that Millrace need not.
import { createRequire } from 'node:module'

type Check = ((value: unknown) => boolean) & { errors?: unknown }

interface Ajv {
  compile(schema: object): Check
}

const require = createRequire(import.meta.resolve('@modelcontextprotocol/sdk/client/index.js'))
const { default: Ajv2020 } = require('ajv/dist/2020') as { default: new (options: object) => Ajv }
const { default: addFormats } = require('ajv-formats') as { default: (ajv: Ajv) => void }

/** Throws if a strict validator would refuse the schema; the result returns what is wrong with a value. */
export function compileStrict(schema: object): (value: unknown) => unknown[] {
  const ajv = new Ajv2020({ strict: true, allErrors: true })
  addFormats(ajv)
  const check = ajv.compile(schema)
  return (value) => (check(value) ? [] : [check.errors].flat())
}
