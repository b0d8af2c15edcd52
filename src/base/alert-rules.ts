// The rules of alerts, with the numbers that each takes: for the store, the API and the form.

export const ALERT_RULES = [
  'first_failure',
  'failures',
  'recovered',
  'rejections',
  'schedule_late',
  'reconnect',
  'certificate_expires',
  'queue_age',
  'storage',
] as const
export type AlertRule = (typeof ALERT_RULES)[number]

export const ALERT_NUMBERS = ['count', 'minutes', 'seconds'] as const
export type AlertNumber = (typeof ALERT_NUMBERS)[number]

/** The numbers that a rule takes; a rule that is not listed takes none. */
export const NUMBERS_OF: Readonly<Partial<Record<AlertRule, Partial<Record<AlertNumber, 'needed' | 'optional'>>>>> = {
  failures: { count: 'needed', minutes: 'needed' },
  rejections: { count: 'needed' },
  schedule_late: { seconds: 'optional' },
  queue_age: { seconds: 'needed' },
}

/** The largest of each number; the least is 1. */
export const MOST_OF: Readonly<Record<AlertNumber, number>> = { count: 1_000_000, minutes: 1_440, seconds: 86_400 }

/** Rules about the instance, not about a flow. */
export const RULES_OF_NO_FLOW: ReadonlySet<AlertRule> = new Set([
  'reconnect',
  'certificate_expires',
  'queue_age',
  'storage',
])
