import fc from 'fast-check'
import Schema from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { inputIssues } from './check-input.ts'
import { schemaProblems } from './input-schema.ts'

/** The keys of a schema that depends on another. Apart from each other: an object with then looks like a promise. */
const CONDITIONAL = ['if', 'then', 'else']

const problemsOf = (schema: unknown) => schemaProblems(schema).map(({ path }) => path)

describe('a schema', () => {
  it('is refused if it could take unbounded time', () => {
    expect(problemsOf({ properties: { a: { pattern: '(a+)+$' } } })).toEqual(['/properties/a/pattern'])
    expect(problemsOf({ patternProperties: { '^a': true } })).toEqual(['/patternProperties'])
    expect(problemsOf({ $defs: { a: { items: { $ref: '#/$defs/a' } } }, $ref: '#/$defs/a' })).not.toEqual([])
    const doubling = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`d${i}`, { allOf: [1, 2].map(() => ({ $ref: `#/$defs/d${i + 1}` })) }]),
    )
    expect(problemsOf({ $defs: { ...doubling, d30: true }, $ref: '#/$defs/d0' })).toEqual([''])
    expect(problemsOf({ enum: ['x'.repeat(70_000)] })).toEqual([''])
  })

  it('is refused if a keyword is unknown, or has no value that it can have', () => {
    expect(problemsOf({ type: 'text' })).toEqual(['/type'])
    expect(problemsOf({ propertys: {} })).toEqual(['/propertys'])
    expect(problemsOf({ required: 'order', minLength: -1, items: 7, anyOf: [] })).toEqual([
      '/required',
      '/minLength',
      '/items',
      '/anyOf',
    ])
    expect(problemsOf({ $ref: 'https://example.com/schema' })).toEqual(['/$ref'])
    expect(problemsOf(7)).toEqual([''])
  })

  it('may be true, false, or use definitions', () => {
    expect(problemsOf(true)).toEqual([])
    expect(problemsOf({ $defs: { id: { type: 'string', format: 'uuid' } }, items: { $ref: '#/$defs/id' } })).toEqual([])
  })
})

describe('an input', () => {
  it('is told each problem with its path, without its values', () => {
    const schema = {
      type: 'object',
      required: ['order'],
      properties: { n: { type: 'integer', maximum: 9 }, list: { items: { type: 'string', maxLength: 2 } } },
      additionalProperties: false,
    }
    const issues = inputIssues(schema, { n: 12, list: ['ok', 'secret'], more: 1 })
    expect(issues.map(({ path, code }) => `${path} ${code}`)).toEqual([
      '/order missing',
      '/n maximum',
      '/list/1 maxLength',
      '/more unknown_key',
    ])
    expect(JSON.stringify(issues)).not.toContain('secret')
  })

  it('reads only own properties', () => {
    expect(inputIssues({ required: ['toString'] }, {})).toHaveLength(1)
    expect(inputIssues({ properties: { constructor: false } }, {})).toEqual([])
  })

  it('that needs too much work is refused', () => {
    const schema = { items: { allOf: Array.from({ length: 1000 }, () => ({ type: 'integer' })) } }
    const list = Array.from({ length: 200_000 }, (_, i) => i)
    expect(inputIssues(schema, list)).toMatchObject([{ code: 'too_long' }])
  })

  it('fits exactly if TypeBox says so', () => {
    const leaf = fc.oneof(
      fc.constantFrom(true, false, {}),
      fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'null', 'boolean', 'object', 'array') }),
      fc.record({ enum: fc.array(fc.constantFrom(1, 'a', null, true), { minLength: 1 }) }),
      fc.record({ minimum: fc.integer({ min: -3, max: 3 }), exclusiveMaximum: fc.integer({ min: -3, max: 5 }) }),
      fc.record({ minLength: fc.nat(2), maxLength: fc.nat(3) }),
      fc.record({ minItems: fc.nat(2), maxItems: fc.nat(3), uniqueItems: fc.boolean() }),
      fc.record({ required: fc.uniqueArray(fc.constantFrom('a', 'b')), maxProperties: fc.nat(3) }),
    )
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('nested')),
      nested: fc.oneof(
        fc.record({ items: tie('schema'), prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
        fc.record({
          properties: fc.record({ a: tie('schema'), b: tie('schema') }),
          additionalProperties: tie('schema'),
        }),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
        fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
        fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
        fc
          .tuple(tie('schema'), tie('schema'), tie('schema'))
          .map((schemas) => Object.fromEntries(CONDITIONAL.map((key, i) => [key, schemas[i]]))),
        fc.record({ not: tie('schema'), contains: tie('schema') }),
        fc.record({ propertyNames: tie('schema') }),
      ),
    }))
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, 0, 1, 2.5, -2, 'a', 'ab', 'abcd', ''),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any'), { maxKeys: 3, noNullPrototype: true }),
      ),
    })).any
    fc.assert(
      fc.property(schema, value, (one, input) => {
        expect(schemaProblems(one)).toEqual([])
        expect(inputIssues(one as object, input).length === 0).toBe(Schema.Check(one as object, input))
      }),
      { numRuns: 2_000 },
    )
  })
})
