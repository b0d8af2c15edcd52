// The JSON Schema of a whole flow document, for the API's description and for editors.
import Type from 'typebox'
import { documentSchema, type Kinds, stepSchema } from './document.ts'

export function flowSchema(kinds: Kinds): object {
  const step = Type.Union([...kinds.values()].map(stepSchema))
  return { ...documentSchema(Type.Unsafe({ $ref: '#/$defs/step' })), $defs: { step } }
}

/** As a document of its own. */
export const editorSchema = (schema: object): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Millrace flow',
  ...schema,
})
