const DAY_MS = 86_400_000
/** As long before as the alert `certificate_expires` tells. */
const SOON_DAYS = 14

export interface Expiry {
  state: 'fine' | 'soon' | 'expired'
  /** Whole days that are left. */
  days: number
}

export function expiryOf(expiresAt: string, now: number): Expiry {
  const left = Date.parse(expiresAt) - now
  const days = Math.max(0, Math.floor(left / DAY_MS))
  return { state: left <= 0 ? 'expired' : left > SOON_DAYS * DAY_MS ? 'fine' : 'soon', days }
}
