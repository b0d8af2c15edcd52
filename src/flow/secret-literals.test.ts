import Type from 'typebox'
import { describe, expect, it } from 'vitest'
import type { KindSchema } from './document.ts'
import { json, secretText, stepList, text } from './schema.ts'
import { mapSecrets } from './secret-literals.ts'

const kind = (name: string, settings: KindSchema['settings']): KindSchema => ({ kind: name, label: name, settings })
const kinds = new Map(
  [
    kind('call', Type.Object({ name: text(), token: secretText(), body: json() })),
    kind('nest', Type.Object({ steps: stepList('none') })),
    kind('many', Type.Object({ secret: Type.Union([secretText(), Type.Array(secretText())]) })),
  ].map((one) => [one.kind, one]),
)

const mapped = (steps: unknown) => mapSecrets({ name: 'x', steps }, kinds, (literal, path) => `<${literal} ${path}>`)

describe('mapSecrets', () => {
  it('replaces secret literals wherever they stand, and nothing else', () => {
    const call = { kind: 'call', name: 'n', token: 't', body: { token: 'no' } }
    expect(mapped([call, { kind: 'nest', steps: [call] }]).steps).toEqual([
      { ...call, token: '<t /steps/0/token>' },
      { kind: 'nest', steps: [{ ...call, token: '<t /steps/1/steps/0/token>' }] },
    ])
  })

  it('takes numbers as text, and each secret of a list', () => {
    expect(
      mapped([
        { kind: 'call', token: 12 },
        { kind: 'many', secret: ['a', 'b'] },
        { kind: 'many', secret: 'c' },
      ]).steps,
    ).toEqual([
      { kind: 'call', token: '<12 /steps/0/token>' },
      { kind: 'many', secret: ['<a /steps/1/secret/0>', '<b /steps/1/secret/1>'] },
      { kind: 'many', secret: '<c /steps/2/secret>' },
    ])
  })

  it('leaves templates and empty values, and returns the document itself where there is nothing to replace', () => {
    const document = {
      name: 'x',
      steps: [{ kind: 'call', token: 'Bearer {{ env.T }}' }, { kind: 'call', token: '' }, null, 7],
    }
    expect(mapSecrets(document, kinds, () => 'replaced')).toBe(document)
  })

  it('takes what any kind calls a secret while none is chosen', () => {
    expect(mapped([{ token: 't' }]).steps).toEqual([{ token: '<t /steps/0/token>' }])
  })
})
