// Hides the tokens of callbacks: whoever has one can answer in place of the one it was made for. They are found by their form,
// because there may be a million of them, and stand for themselves in every encoding that leaves letters and digits alone.
import { TOKEN_PREFIX } from '../operations/ports/callbacks/callbacks.ts'

const MASK = '[secret]'
const TOKEN = new RegExp(`${TOKEN_PREFIX}[\\w-]{32}`, 'g')

/** Returns the text, or JSON text, with the tokens hidden; the same text if it has none. */
export const hideTokens = (text: string): string => (text.includes(TOKEN_PREFIX) ? text.replaceAll(TOKEN, MASK) : text)

/** Returns the same reference if the value has no token. */
export function hideTokensIn<T>(value: T): T {
  if (typeof value === 'string') return hideTokens(value) as T
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean') return value
  const json = JSON.stringify(value)
  const hidden = hideTokens(json)
  return hidden === json ? value : (JSON.parse(hidden) as T)
}
