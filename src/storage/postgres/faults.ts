// Which errors of PostgreSQL, or of the way to it, say "not now" rather than "never".
import { StorageUnavailable } from '../rows/storage-unavailable.ts'

/** Connection exceptions, lack of resources, a server that stops or starts, faults of its disk. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58'])
/** A primary that has become a standby. */
const READ_ONLY = '25006'
/** Another transaction got in the way: this one was rolled back. */
const COLLISIONS = new Set(['40001', '40P01'])
const OF_THE_SYSTEM = /^E[A-Z_]+$/
const OF_THE_DRIVER = /connection|timeout|client has encountered|client was closed/i

/** The server cannot be reached or cannot work: the same statement may succeed later. */
export function isUnavailable(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string }
  if (code === undefined) return OF_THE_DRIVER.test(message)
  return (
    OF_THE_SYSTEM.test(code) || UNAVAILABLE_CLASSES.has(code.slice(0, 2)) || code === READ_ONLY || COLLISIONS.has(code)
  )
}

/** `sent`: the statement had left, so that the server may have carried it out. */
export function explained(error: unknown, sent = false): unknown {
  if (!isUnavailable(error)) return error
  const { code, message } = error as { code?: string; message: string }
  return new StorageUnavailable(`The database cannot be reached: ${message}`, {
    cause: error,
    unsure: sent && !COLLISIONS.has(code ?? ''),
  })
}
