// After a save the service holds secrets encrypted: its references take the place of the literals, wherever those still stand.
import { SEALED_PREFIX } from '../../../src/base/sealed-prefix.ts'

export function adoptSealed<T>(present: T, sent: unknown, returned: unknown): T {
  return adopt(present, sent, returned) as T
}

function adopt(present: unknown, sent: unknown, returned: unknown): unknown {
  if (typeof returned === 'string' && returned.startsWith(SEALED_PREFIX) && returned !== sent)
    return present === sent ? returned : present
  if (typeof present !== 'object' || present === null) return present
  if (typeof sent !== 'object' || sent === null || typeof returned !== 'object' || returned === null) return present
  let changed = false
  const entries = Object.entries(present).map(([key, item]) => {
    const both = Object.hasOwn(sent, key) && Object.hasOwn(returned, key)
    const adopted = both
      ? adopt(item, (sent as Record<string, unknown>)[key], (returned as Record<string, unknown>)[key])
      : item
    changed ||= adopted !== item
    return [key, adopted] as const
  })
  if (!changed) return present
  return Array.isArray(present) ? entries.map(([, item]) => item) : Object.fromEntries(entries)
}
