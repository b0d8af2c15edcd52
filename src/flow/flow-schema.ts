// Builds the JSON Schema of a whole flow document, for the API's description and for editors.
import Type from 'typebox'
import { documentSchema, type Kinds, stepSchema } from './document.ts'

export function flowSchema(kinds: Kinds): object {
  const step = Type.Union([...kinds.values()].map(stepSchema))
  return published({ ...documentSchema(Type.Unsafe({ $ref: '#/$defs/step' })), $defs: { step } }) as object
}

/** Returns the schema as a document of its own. */
export const editorSchema = (schema: object): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Millrace flow',
  ...schema,
})

/** Keywords whose keys are names and whose values are schemas. */
const NAMED = new Set(['properties', 'patternProperties', '$defs'])

/**
 * Returns a schema that strict validators accept: without the annotations that only Millrace reads, and with each type of a
 * list of types as a schema of its own, so that no keyword is beside a type that it does not apply to.
 */
function published(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(published)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema)
    .filter(([key]) => !key.startsWith('x-'))
    .map(([key, value]): [string, unknown] => {
      if (!NAMED.has(key)) return [key, published(value)]
      return [key, Object.fromEntries(Object.entries(value as object).map(([name, of]) => [name, published(of)]))]
    })
  return typesApart(Object.fromEntries(entries))
}

const NUMERIC = ['minimum', 'maximum', 'exclusiveMinimum']
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern'],
  number: NUMERIC,
  integer: NUMERIC,
}

function typesApart(schema: Record<string, unknown>): object {
  const { type: types, ...rest } = schema
  if (!Array.isArray(types)) return schema
  const keywords = new Set(types.flatMap((type: string) => KEYWORDS[type] ?? []))
  const kept = Object.entries(rest).filter(([key]) => !keywords.has(key))
  const anyOf = types.map((type: string) => {
    const own = Object.entries(rest).filter(([key]) => KEYWORDS[type]?.includes(key))
    return { type, ...Object.fromEntries(own) }
  })
  return { ...Object.fromEntries(kept), anyOf }
}
