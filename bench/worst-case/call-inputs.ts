// The worst inputs of called flows: each with a schema that makes the most work of it.
import { inputIssues } from '../../src/flow/triggers/call/check-input.ts'
import type { Input } from './inputs.ts'

interface Pair {
  schema: object
  /** Returns an input of about `n` bytes. */
  input(n: number): unknown
}

const list = <T>(length: number, make: (i: number) => T): T[] =>
  Array.from({ length: Math.floor(length) }, (_, i) => make(i))
const all = (schema: object): object => ({ allOf: list(1_000, () => schema) })
const keys = (n: number): object => Object.fromEntries(list(n / 10, (i) => [`k${i}`, 1]))

const PAIRS: Readonly<Record<string, Pair>> = {
  'many schemas, none of which fits': {
    schema: { items: { anyOf: list(1_900, (i) => ({ const: `c${i}` })) } },
    input: (n) => list(n / 6, (i) => i),
  },
  'values that are objects': {
    schema: { items: { enum: list(1_000, (i) => ({ a: i })) } },
    input: (n) => list(n / 8, () => ({ a: -1 })),
  },
  'items that must differ': { schema: { uniqueItems: true }, input: (n) => list(n / 20, (i) => ({ a: i, b: [i] })) },
  'items that must differ, over and over': { schema: all({ uniqueItems: true }), input: (n) => list(n / 6, (i) => i) },
  'a long text, over and over': { schema: all({ maxLength: 5 }), input: (n) => 'x'.repeat(n) },
  'names of keys': {
    schema: { propertyNames: all({ maxLength: 1_000_000 }) },
    input: (n) => Object.fromEntries(list(n / 2_000, (i) => [`${i}`.padStart(2_000, 'k'), 1])),
  },
  'keys that are not known, over and over': { schema: all({ additionalProperties: false }), input: keys },
  'keys that are missing': {
    schema: { items: { required: list(900, (i) => `k${i}`) } },
    input: (n) => list(n / 3, () => ({})),
  },
  'keys that depend on others': {
    schema: { items: { dependentRequired: Object.fromEntries(list(900, (i) => [`k${i}`, ['a']])) } },
    input: (n) => list(n / 3, () => ({})),
  },
  'an input that fits': {
    schema: { items: { required: ['a'], properties: { a: { type: 'string', maxLength: 20 }, b: { type: 'number' } } } },
    input: (n) => list(n / 24, (i) => ({ a: `x${i}`, b: i })),
  },
}

export const CALL_INPUTS: Input[] = Object.entries(PAIRS).map(([name, { input }]) => ({
  grammar: 'JSON Schema',
  name,
  make: (n) => JSON.stringify({ name, input: input(n) }),
}))

/** Checks what an input of the list above holds against its schema. */
export function checksInput(text: string): () => void {
  const { name, input } = JSON.parse(text) as { name: string; input: unknown }
  const { schema } = PAIRS[name]!
  return () => void inputIssues(schema, input)
}
