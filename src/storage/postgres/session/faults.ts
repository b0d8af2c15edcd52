// Tells which errors of PostgreSQL, or of the network to it, mean "not now" rather than "never".
import { StorageUnavailable } from '../../../engine/ports/storage-unavailable.ts'

/** Connection exceptions, lack of resources, a server that stops, starts or ends a statement, and faults of its disk. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58'])
/** The code of a primary that has become a standby. */
const READ_ONLY = '25006'
/** The server ended the session because this process stood still inside a transaction. */
const IDLE_IN_TRANSACTION = '25P03'
/** The transaction was rolled back because it collided with another. */
const COLLISIONS = new Set(['40001', '40P01'])
/** A prepared statement is missing, or exists unexpectedly: another client has used the session in between. */
const OF_ANOTHER_SESSION = new Set(['26000', '42P05'])
const OF_THE_SYSTEM = /^E[A-Z_]+$/
const OF_THE_DRIVER = /connection|timeout|client has encountered|client was closed/i

const TOO_LATE = /timeout/

/** The message for a pooler that does not give each client its own session. */
export const NOT_A_SESSION = {
  reason: 'a pooler hands its sessions from client to client (pool_mode transaction or statement)',
  advice: 'Set pool_mode=session for this database in the pooler, or connect to PostgreSQL itself.',
}

/** Reasons of a server that can be reached but cannot write. */
const NO_ROOM: Record<string, string> = { '53100': 'its disk is full', '58030': 'its disk is faulty' }

export const WITHOUT_SESSION = `The database cannot be used: ${NOT_A_SESSION.reason}. ${NOT_A_SESSION.advice}`

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ''

/** Returns whether the server cannot be reached or cannot work, so that the same statement may succeed later. */
export function isUnavailable(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string }
  if (code === undefined) return OF_THE_DRIVER.test(message)
  return (
    OF_THE_SYSTEM.test(code) ||
    UNAVAILABLE_CLASSES.has(code.slice(0, 2)) ||
    code === READ_ONLY ||
    code === IDLE_IN_TRANSACTION ||
    COLLISIONS.has(code) ||
    OF_ANOTHER_SESSION.has(code)
  )
}

/** Returns whether the driver, not the server, gave up: the time that it had for a session was over. */
export const isTooLate = (error: unknown): boolean => codeOf(error) === '' && TOO_LATE.test((error as Error).message)

/** `sent`: the statement had left this process, so the server may have executed it. */
export function explained(error: unknown, sent = false): unknown {
  if (!isUnavailable(error)) return error
  const code = codeOf(error)
  const reason = isOfAnotherSession(error)
    ? WITHOUT_SESSION
    : `The database cannot be reached: ${(error as Error).message}`
  return new StorageUnavailable(reason, { cause: error, unsure: sent && !COLLISIONS.has(code) })
}

export const isOfAnotherSession = (error: unknown): boolean => OF_ANOTHER_SESSION.has(codeOf(error))

/** Returns why there is no room for the write; null if the error has another cause. */
export const lackOfRoom = (error: unknown): string | null => NO_ROOM[codeOf(error)] ?? null
