import { Refusal } from './refusal.ts'

/** Returns the only value of a header, in any letter case. Throws if there are two, since either may be the signed one. */
export function soleHeader(rawHeaders: readonly string[], name: string): string {
  const lowerCase = name.toLowerCase()
  let value: string | null = null
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() !== lowerCase) continue
    if (value !== null) throw new Refusal(`the header ${name} is sent more than once`)
    value = rawHeaders[i + 1]!
  }
  if (value === null) throw new Refusal(`the header ${name} is missing`)
  if (value === '') throw new Refusal(`the header ${name} is empty`)
  return value
}
