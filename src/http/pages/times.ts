// Reads times from requests.
import { CODE } from '../../base/error-catalogue.ts'
import { OperationError } from '../../operations/operation-error.ts'

/** Date.parse takes much more than ISO 8601. */
const ISO_DAY = /^\d{4}-\d\d-\d\d(T|$)/

export function timeFrom(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const time = /^\d+$/.test(text) ? Number(text) : ISO_DAY.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isFinite(time))
    throw new OperationError(CODE.invalid_request, `${name} takes an ISO 8601 time such as 2026-11-15T08:00:00Z.`)
  // Ids, which lists are searched by, know no time before 1970.
  return Math.max(0, time)
}
