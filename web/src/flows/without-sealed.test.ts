import { expect, it } from 'vitest'
import { SEALED_PREFIX } from '../../../src/flow/secret-literals.ts'
import { SEALED, withoutSealed } from './without-sealed.ts'

it('knows sealed secrets by the prefix that the service gives them', () => {
  expect(SEALED).toBe(SEALED_PREFIX)
})

it('empties sealed secrets wherever they stand, and counts them', () => {
  const document = {
    name: 'Copy',
    trigger: { kind: 'webhook', auth: { kind: 'header', name: 'X-Key', value: 'sealed:abc' } },
    steps: [{ id: 'a', auth: { kind: 'signature', secret: ['sealed:x', '{{ env.KEY }}'] }, note: 'not sealed:x' }],
  }
  expect(withoutSealed(document)).toEqual({
    count: 2,
    document: {
      name: 'Copy',
      trigger: { kind: 'webhook', auth: { kind: 'header', name: 'X-Key', value: '' } },
      steps: [{ id: 'a', auth: { kind: 'signature', secret: ['', '{{ env.KEY }}'] }, note: 'not sealed:x' }],
    },
  })
})
