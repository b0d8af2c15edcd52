// Compares actual with expected values, and returns every difference with its place.
import { isObject } from '../base/is-object.ts'
import { matchesWildcard } from './wildcard.ts'

export interface Difference {
  /** requests[1].body.text */
  path: string
  expected: unknown
  actual: unknown
}

/** Marks a value that does not exist. */
export const ABSENT = Symbol('absent')

/**
 * Objects may have more than is expected of them; lists have exactly what is expected.
 * `{$any: true}` matches every value that exists, `{$matches: '^run_'}` matches text by a regular expression.
 */
export function differences(expected: unknown, actual: unknown, path: string): Difference[] {
  if (isObject(expected)) {
    if (expected['$any'] === true && Object.keys(expected).length === 1)
      return actual === ABSENT ? [{ path, expected, actual }] : []
    if (typeof expected['$matches'] === 'string' && Object.keys(expected).length === 1)
      return typeof actual === 'string' && new RegExp(expected['$matches'], 's').test(actual)
        ? []
        : [{ path, expected, actual }]
    if (!isObject(actual)) return [{ path, expected, actual }]
    return Object.entries(expected).flatMap(([key, value]) =>
      differences(value, Object.hasOwn(actual, key) ? actual[key] : ABSENT, path === '' ? key : `${path}.${key}`),
    )
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length)
    return Array.from({ length }, (_, i) => i).flatMap((i) =>
      i < expected.length && i < actual.length
        ? differences(expected[i], actual[i], `${path}[${i}]`)
        : [
            {
              path: `${path}[${i}]`,
              expected: i in expected ? expected[i] : ABSENT,
              actual: i in actual ? actual[i] : ABSENT,
            },
          ],
    )
  }
  return expected === actual ? [] : [{ path, expected, actual }]
}

export const textDifference = (expected: string, actual: string, path: string): Difference[] =>
  matchesWildcard(expected, actual) ? [] : [{ path, expected, actual }]
