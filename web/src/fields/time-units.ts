// Times in the unit that people say them in. The document holds seconds.

export const TIME_UNITS = [
  { value: 'seconds', seconds: 1 },
  { value: 'minutes', seconds: 60 },
  { value: 'hours', seconds: 3600 },
  { value: 'days', seconds: 86_400 },
] as const

export type TimeUnit = (typeof TIME_UNITS)[number]['value']

const sizeOf = (unit: TimeUnit): number => TIME_UNITS.find(({ value }) => value === unit)!.seconds

export const toSeconds = (amount: number, unit: TimeUnit): number => Math.round(amount * sizeOf(unit) * 1000) / 1000

/** Returns the largest unit in which the time is a whole number. */
export function unitOf(seconds: number): TimeUnit {
  const whole = TIME_UNITS.findLast((unit) => seconds !== 0 && seconds % unit.seconds === 0)
  return whole?.value ?? 'seconds'
}

/** Returns null where the unit cannot say the time in few digits. */
export function inUnit(seconds: number, unit: TimeUnit): number | null {
  const amount = Math.round((seconds / sizeOf(unit)) * 1000) / 1000
  return toSeconds(amount, unit) === seconds ? amount : null
}
