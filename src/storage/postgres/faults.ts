// Which errors of PostgreSQL, or of the way to it, say "not now" rather than "never".
import { StorageUnavailable } from '../../operations/ports/storage-unavailable.ts'

/** Connection exceptions, lack of resources, a server that stops or starts or ends a statement, faults of its disk. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58'])
/** A primary that has become a standby. */
const READ_ONLY = '25006'
/** This process stood still inside a transaction: the server has ended the session. */
const IDLE_IN_TRANSACTION = '25P03'
/** Another transaction got in the way: this one was rolled back. */
const COLLISIONS = new Set(['40001', '40P01'])
/** A statement that was prepared is not there, or one that was not prepared is: the session was another client's meanwhile. */
const OF_ANOTHER_SESSION = new Set(['26000', '42P05'])
const OF_THE_SYSTEM = /^E[A-Z_]+$/
const OF_THE_DRIVER = /connection|timeout|client has encountered|client was closed/i

/** Where a pooler is in between that gives no client a session of its own. */
export const NOT_A_SESSION = {
  reason: 'a pooler hands its sessions from client to client (pool_mode transaction or statement)',
  advice: 'Set pool_mode=session for this database in the pooler, or connect to PostgreSQL itself.',
}

/** What a server says that cannot write, though it can be reached. */
const NO_ROOM: Record<string, string> = { '53100': 'its disk is full', '58030': 'its disk is faulty' }

export const WITHOUT_SESSION = `The database cannot be used: ${NOT_A_SESSION.reason}. ${NOT_A_SESSION.advice}`

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ''

/** The server cannot be reached or cannot work: the same statement may succeed later. */
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

/** `sent`: the statement had left, so that the server may have carried it out. */
export function explained(error: unknown, sent = false): unknown {
  if (!isUnavailable(error)) return error
  const code = codeOf(error)
  const reason = isOfAnotherSession(error)
    ? WITHOUT_SESSION
    : `The database cannot be reached: ${(error as Error).message}`
  return new StorageUnavailable(reason, { cause: error, unsure: sent && !COLLISIONS.has(code) })
}

export const isOfAnotherSession = (error: unknown): boolean => OF_ANOTHER_SESSION.has(codeOf(error))

/** Why there is no room for what was written; null: that is not what was wrong. */
export const lackOfRoom = (error: unknown): string | null => NO_ROOM[codeOf(error)] ?? null
