// Reads a time as people write it for a schedule: by the clock of its zone, unless it has an offset.
import { Zone } from '../../../base/zone.ts'

const LOCAL = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)$/

/** Returns null if the text is no time. A local time that the clocks skip is the first instant after the gap. */
export function instantOf(text: string, timezone: string): number | null {
  const [, date, time] = LOCAL.exec(text) ?? []
  const at = Date.parse(date === undefined ? text : `${date}T${time}Z`)
  if (Number.isNaN(at)) return null
  if (date === undefined) return /(?:Z|[+-]\d\d:\d\d)$/.test(text) ? at : null
  const instants = Zone.named(timezone)?.instantsOf(at)
  if (!instants) return null
  return 'gapEnd' in instants ? instants.gapEnd : instants.at[0]
}
