import { type Labels, storedValue } from '../flow/triggers/labels.ts'

const PREFIX = 'label.'

/** Returns the labels that a query names by `label.<name>=<value>`, as they are stored; null if it names none. */
export function labelsFrom(query: object): Labels | null {
  const given = Object.entries(query).filter(([key]) => key.startsWith(PREFIX))
  if (given.length === 0) return null
  return Object.fromEntries(given.map(([key, value]) => [key.slice(PREFIX.length), storedValue(String(value))]))
}
