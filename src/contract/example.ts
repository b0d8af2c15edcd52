import type { Static, TSchema } from 'typebox'

/** An example that the compiler holds to its schema. */
export const example = <T extends TSchema>(schema: T, value: Static<T>): [TSchema, unknown] => [schema, value]
