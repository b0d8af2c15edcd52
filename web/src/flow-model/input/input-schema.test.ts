import { describe, expect, it } from 'vitest'
import { exampleInput, inputFields, NotJson, typedInput } from './input-schema.ts'

const schema = {
  type: 'object',
  required: ['order', 'size'],
  properties: {
    order: { type: 'string', title: 'Order', description: 'Its number' },
    size: { enum: ['small', 2] },
    count: { type: 'integer', default: 3 },
    express: { type: 'boolean' },
    address: { $ref: '#/$defs/address' },
  },
  $defs: { address: { type: 'object', properties: { city: { type: 'string' } } } },
}

describe('the form of an input', () => {
  it('has a field for each property, by its type', () => {
    const fields = inputFields(schema)!
    expect(fields.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['order', 'text', true],
      ['size', 'choice', true],
      ['count', 'number', false],
      ['express', 'switch', false],
      ['address', 'json', false],
    ])
    expect(fields[0]).toMatchObject({ label: 'Order', description: 'Its number' })
    expect(fields[2]).toMatchObject({ whole: true, standard: 3 })
  })

  it('is there for objects with properties only', () => {
    for (const other of [
      undefined,
      null,
      true,
      { type: 'string' },
      { type: 'object' },
      { type: 'object', properties: {} },
    ])
      expect(inputFields(other)).toBeNull()
  })

  it('gives what was typed, without what is empty', () => {
    const fields = inputFields(schema)!
    const typed = { order: '', size: 2, count: '', express: false, address: '{"city": "Ulm"}' }
    expect(typedInput(fields, typed)).toEqual({ order: '', size: 2, express: false, address: { city: 'Ulm' } })
    expect(() => typedInput(fields, { address: '{' })).toThrow(NotJson)
  })

  it('takes any name for a name', () => {
    const hostile = JSON.parse('{"type": "object", "properties": {"__proto__": {"type": "string"}}}')
    const input = typedInput(inputFields(hostile)!, JSON.parse('{"__proto__": "x"}'))
    expect(JSON.stringify(input)).toBe('{"__proto__":"x"}')
  })

  it('begins a test with what is required', () => {
    expect(exampleInput(schema)).toEqual({ order: 'text', size: 'small' })
    expect(exampleInput(undefined)).toBeNull()
  })
})
