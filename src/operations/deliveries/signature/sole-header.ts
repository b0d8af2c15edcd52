import { Refusal } from './refusal.ts'

/** The one value of a header, whatever the letter case of its name: of two values nobody knows which one was signed. */
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
