// The JSON Schema of a whole flow document, for the API's description and for editors.
import Type from 'typebox'
import { documentSchema, type Kinds, stepSchema } from './document.ts'

export function flowSchema(kinds: Kinds): object {
  const step = Type.Union([...kinds.values()].map(stepSchema))
  return { ...documentSchema(Type.Unsafe({ $ref: '#/$defs/step' })), $defs: { step } }
}
