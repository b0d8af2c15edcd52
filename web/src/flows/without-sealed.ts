// Sealed secrets belong to the flow they were typed into: a copy or an export goes without them.
import { SEALED_PREFIX } from '../../../src/base/sealed-prefix.ts'

/** The document with its sealed secrets emptied, and how many there were. */
export function withoutSealed<T>(document: T): { document: T; count: number } {
  let count = 0
  const emptied = JSON.parse(JSON.stringify(document), (_key, value) => {
    if (typeof value !== 'string' || !value.startsWith(SEALED_PREFIX)) return value
    count++
    return ''
  })
  return { document: emptied, count }
}
