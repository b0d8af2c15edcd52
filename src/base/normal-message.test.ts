import { describe, expect, it } from 'vitest'
import { hostsOf, normalMessage } from './normal-message.ts'

const normal = (message: string) => normalMessage(message, ['api.example.com:8443', 'api.example.com'])

describe('a normal message', () => {
  it.each([
    ['Order 1234 was refused after 3 attempts.', 'Order … was refused after … attempts.'],
    ['No user 6f9619ff-8b86-d011-b42d-00c04fc964ff', 'No user …'],
    ['run_01KC2Q7Z5W8XJ4T9 is gone', '… is gone'],
    ['commit deadbeef01 of file7', 'commit … of file…'],
    ['At 2026-11-16T09:41:25Z it stopped', 'At …:…:…Z it stopped'],
    ['api.example.com answered 503.', '… answered ….'],
    ['api.example.com:8443 refused', '… refused'],
    ['No customer "Ada Lovelace"', 'No customer "…"'],
    ['Mail to ada@example.org bounced', 'Mail to … bounced'],
    ["Cannot read properties of undefined (reading 'name')", "Cannot read properties of undefined (reading 'name')"],
    ['two \n\t lines', 'two lines'],
  ])('of %j is %j', (message, expected) => {
    expect(normal(message)).toBe(expected)
  })

  it('is cut, also in the middle of a pair of surrogates', () => {
    expect(normal(`x${'😀'.repeat(400)}`).length).toBeLessThanOrEqual(500)
    expect(normal(`x${'😀'.repeat(400)}`).isWellFormed()).toBe(true)
  })
})

it('finds the hosts of values that are URLs', () => {
  expect(hostsOf(['https://api.example.com:8443/v1', 'a secret', 'mailto:ada@example.org', 'ok:ok'])).toEqual([
    'api.example.com:8443',
    'api.example.com',
  ])
})
