import { expect, it } from 'vitest'
import type { FieldIssue } from '../../fields/field-context.tsx'
import { sampleFlow } from '../../flow-model/sample-flow.testkit.ts'
import { stillTrue } from './still-true.ts'

const withUrl = (url: string) => ({ ...sampleFlow(), steps: [{ id: 'call', kind: 'http', url }] })
const issue = (path: string): FieldIssue => ({ path, code: 'missing', message: 'is missing', warning: false })
const issues = [issue('/steps/0/url'), issue('/steps/0/method'), issue('/steps/0')]

/** Says which issues are kept when the URL has changed since the service was asked. */
const keptAfter = (asked: string, now: string) =>
  stillTrue({ document: withUrl(asked), issues }, withUrl(now)).map(({ path }) => path)

it('drops what was said of a setting once it has another value', () => {
  expect(keptAfter('a', 'a')).toEqual(['/steps/0/url', '/steps/0/method', '/steps/0'])
  expect(keptAfter('a', 'b')).toEqual(['/steps/0/method', '/steps/0'])
  expect(keptAfter('sealed:x', 'b')).toEqual(['/steps/0/method', '/steps/0'])
})

it('keeps what was said of a secret while the service seals it', () => {
  expect(keptAfter('a', 'sealed:x')).toEqual(['/steps/0/url', '/steps/0/method', '/steps/0'])
  expect(keptAfter('', 'sealed:x')).toEqual(['/steps/0/method', '/steps/0'])
})
