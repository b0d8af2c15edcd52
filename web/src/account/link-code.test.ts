import { expect, it } from 'vitest'
import { codeIn, pastedCode } from './link-code.ts'

it('finds the code after the # of a link', () => {
  expect(codeIn('#code=abc-123')).toBe('abc-123')
  expect(codeIn('#other=1')).toBe('')
})

it('takes the whole link or the code alone when pasted', () => {
  expect(pastedCode('  http://localhost:8080/setup#code=abc_123  ')).toBe('abc_123')
  expect(pastedCode(' abc_123\n')).toBe('abc_123')
})
