import { describe, expect, it } from 'vitest'
import { hostOf, moveOf } from './secret-move.ts'

const SEALED = 'sealed:abc'

describe('a secret that moves to a connection', () => {
  it('takes the settings beside it along', () => {
    expect(moveOf({ kind: 'bearer', token: SEALED }, 'sealed:')).toEqual({
      kind: 'bearer',
      secret: 'token',
      fields: {},
    })
    expect(moveOf({ kind: 'basic', username: 'ada', password: SEALED }, 'sealed:')).toEqual({
      kind: 'basic',
      secret: 'password',
      fields: { username: 'ada' },
    })
    expect(moveOf({ kind: 'apiKey', name: 'key', value: SEALED, in: 'query' }, 'sealed:')).toEqual({
      kind: 'apiKey',
      secret: 'value',
      fields: { name: 'key', in: 'query' },
    })
  })

  it('leaves a template beside it in the step', () => {
    expect(moveOf({ kind: 'basic', username: '{{ env.USER }}', password: SEALED }, 'sealed:')).toEqual({
      kind: 'custom',
      secret: 'password',
      fields: {},
    })
  })

  it('is none where nothing is stored', () => {
    expect(moveOf({ kind: 'bearer', token: '{{ env.TOKEN }}' }, 'sealed:')).toBeNull()
    expect(moveOf({ kind: 'oauth2', connection: 'crm' }, 'sealed:')).toBeNull()
  })
})

it.each([
  ['https://api.example.com/orders/{{ webhook.body.id }}', 'api.example.com'],
  ['http://localhost:9000', 'localhost:9000'],
  ['https://{{ vars.host }}/x', null],
  ['https://api.{{ vars.zone }}.example.com/x', null],
  ['', null],
  [undefined, null],
])('the host of %j is %j', (url, host) => {
  expect(hostOf(url)).toBe(host)
})
