// Computes the key that identifies repeated deliveries.

import { ExpressionError } from '../../flow/expression/index.ts'
import { type Bindings, MISSING } from '../../flow/expression/values/bindings.ts'
import type { DeliveryServices } from './services.ts'

/** The prefixes of keys that are not stored as received. */
const DIGEST = 'sha256:'
const JSON_VALUE = 'json:'
/** The prefix of keys that callers of the API give. */
const GIVEN = 'key:'

/**
 * Returns null, for no deduplication, if the value is missing or empty. A text is its own key; any other value is marked
 * JSON, so that 1 differs from "1". Keys that are long, hold secrets or NUL, or look like marked ones become digests.
 */
export function dedupeKey(
  services: DeliveryServices,
  keyOf: (bindings: Bindings) => unknown,
  bindings: Bindings,
): string | null {
  let value: unknown
  try {
    value = keyOf(bindings)
  } catch (error) {
    if (error instanceof ExpressionError) return null
    throw error
  }
  if (value === MISSING || value === null || value === '') return null
  // JSON escapes lone surrogates, so that they stay distinct, and quotes text, so that it differs from other values.
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
  typeof value === 'string' && (value.startsWith(DIGEST) || value.startsWith(JSON_VALUE) || value.startsWith(GIVEN))
