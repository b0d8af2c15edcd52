import { expect, it } from 'vitest'
import { withoutSealed } from './without-sealed.ts'

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
