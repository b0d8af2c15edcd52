// The key by which a delivery is recognised as one that came before.

import { ExpressionError } from '../../flow/expression/index.ts'
import { type Bindings, MISSING } from '../../flow/expression/values/bindings.ts'
import type { DeliveryServices } from './services.ts'

/** What the keys begin with that are not kept as they came. */
const DIGEST = 'sha256:'
const JSON_VALUE = 'json:'

/**
 * Missing or empty means: not deduplicated. A text is its own key, and any other value its JSON, marked as such: 1 is not "1". Long
 * keys, those with secrets, those no database takes and texts that look like ours are kept as their digest.
 */
export function dedupeKey(
  services: DeliveryServices,
  keyOf: (scope: Bindings) => unknown,
  scope: Bindings,
): string | null {
  let value: unknown
  try {
    value = keyOf(scope)
  } catch (error) {
    if (error instanceof ExpressionError) return null
    throw error
  }
  if (value === MISSING || value === null || value === '') return null
  // In JSON lone surrogates stay apart, and a text is no other value.
  const json = JSON.stringify(value)
  const text = typeof value === 'string' ? value : json
  const digest =
    text.length > 200 ||
    text.includes('\0') ||
    !text.isWellFormed() ||
    looksLikeOurs(value) ||
    services.secrets.holds(text)
  if (digest) return DIGEST + services.hashing.sha256(json)
  return typeof value === 'string' ? text : JSON_VALUE + text
}

const looksLikeOurs = (value: unknown): boolean =>
  typeof value === 'string' && (value.startsWith(DIGEST) || value.startsWith(JSON_VALUE))
