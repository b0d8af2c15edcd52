import { Refusal } from './refusal.ts'

/** Returns the only value of a header, in any letter case. Throws if there are two, since either may be the signed one. */
export function soleHeader(rawHeaders: readonly string[], name: string): string {
  const lowerCase = name.toLowerCase()
  let value: string | null = null
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!isNamed(rawHeaders[i]!, lowerCase)) continue
    if (value !== null) throw new Refusal(`the header ${name} is sent more than once`)
    value = rawHeaders[i + 1]!
  }
  if (value === null) throw new Refusal(`the header ${name} is missing`)
  if (value === '') throw new Refusal(`the header ${name} is empty`)
  return value
}

/** Returns all values of a header, in any letter case. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const lowerCase = name.toLowerCase()
  return rawHeaders.filter((_, i) => i % 2 === 1 && isNamed(rawHeaders[i - 1]!, lowerCase))
}

/** The length comes first: turning the names of all headers into small letters takes longer than the rest of the search. */
const isNamed = (name: string, lowerCase: string): boolean =>
  name.length === lowerCase.length && name.toLowerCase() === lowerCase
