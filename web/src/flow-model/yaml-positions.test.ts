import { expect, it } from 'vitest'
import { yamlPositions } from './yaml-positions.ts'

const text = `name: A
steps:
  - id: x
    url: "https://x"
  - { id: y, 'a/b': 1 }
`

it('finds values by their pointers, and what is around those that are missing', () => {
  const found = yamlPositions(text, ['/steps/0/url', '/steps/1/a~1b', '/steps/0/method', '/trigger'])
  const shown = (pointer: string) => text.slice(found.get(pointer)!.from, found.get(pointer)!.to)
  expect(shown('/steps/0/url')).toBe('"https://x"')
  expect(shown('/steps/1/a~1b')).toBe('1')
  expect(shown('/steps/0/method')).toContain('id: x')
  expect(found.get('/trigger')!.from).toBe(0)
})

it('finds nothing in an empty text', () => expect(yamlPositions('', ['/steps']).size).toBe(0))
