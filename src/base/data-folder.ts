// Names the files of a data folder, and checks whether they are usable and whether a process uses the folder.
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export const DATABASE_FILE = 'millrace.db'
export const KEY_FILE = 'secret.key'
/** Marks the file as Millrace's ("MiRa"), so that a foreign database is not taken over. */
export const APPLICATION_ID = 0x4d695261
/** Holds runs that are acknowledged and not yet in the database. */
export const RUN_LOG_FILE = 'millrace.runs'
export const LOCK_FILE = 'millrace.lock'
const ADDRESS_FILE = 'millrace.address'

export const holdsDatabase = (folder: string): boolean => existsSync(join(folder, DATABASE_FILE))

/** Creates the folder and its parents. Node's `recursive` never returns on file systems without mkdir, such as /proc. */
export function makeFolder(folder: string): void {
  const path = resolve(folder)
  if (existsSync(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process made the entry meanwhile; `folderFault` checks that it is a folder.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Returns why this process cannot work in the folder, or cannot make it if it is missing and `made` is set; null if it can.
 * SQLite opens files that it cannot write, and fails later; a lock on such a file locks no process out.
 */
export function folderFault(folder: string, { made }: { made: boolean }): string | null {
  const path = resolve(folder)
  const there = nearestThatExists(path)
  const { R_OK, W_OK, X_OK } = constants
  if (there !== path) {
    const fault = entryFault(there, 'isDirectory', made ? W_OK | X_OK : X_OK)
    return fault && `it cannot be ${made ? 'made' : 'reached'}, since ${fault}`
  }
  const fault = entryFault(path, 'isDirectory', R_OK | W_OK | X_OK)
  if (fault !== null) return fault
  for (const name of [
    DATABASE_FILE,
    `${DATABASE_FILE}-wal`,
    `${DATABASE_FILE}-shm`,
    RUN_LOG_FILE,
    LOCK_FILE,
    ADDRESS_FILE,
  ]) {
    const file = join(path, name)
    // The address file is replaced, not overwritten, so it need not be writable.
    const found = entryFault(file, 'isFile', name === ADDRESS_FILE ? 0 : R_OK | W_OK)
    if (found !== null) return found
  }
  return null
}

/** Returns the nearest existing ancestor. A folder that may not be entered hides its contents, and is the nearest itself. */
function nearestThatExists(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThatExists(dirname(path))
}

function entryFault(path: string, kind: 'isDirectory' | 'isFile', mode: number): string | null {
  const entry = statSync(path, { throwIfNoEntry: false })
  // A service that stops meanwhile removes the files beside its database.
  if (!entry) return null
  if (!entry[kind]()) return `${path} is not a ${kind === 'isFile' ? 'file' : 'folder'}`
  try {
    accessSync(path, mode)
    return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code === 'EROFS') return `${path} is on a file system that is read-only`
    const user = process.getuid?.()
    const whose = user === undefined || user === entry.uid ? '' : `: it belongs to user ${entry.uid}, this is ${user}`
    return `${path} cannot be ${mode & constants.W_OK ? 'read and written' : 'entered'} by this user${whose}`
  }
}

/** Returns why the file cannot be the database; null if every page of it is sound. */
export function databaseFault(file: string): string | null {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true })
    if (database.prepare('PRAGMA application_id').get()?.['application_id'] !== APPLICATION_ID)
      return 'it is not a database of Millrace'
    const result = database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
    return result === 'ok' ? null : `it is damaged (${String(result)})`
  } catch (error) {
    return (error as Error).message
  } finally {
    database?.close()
  }
}

/** Locks the folder until the lock is closed or the process ends in any way. Throws if another process holds the lock. */
export function lockFolder(folder: string, waitMs: number): DatabaseSync {
  const lock = new DatabaseSync(join(folder, LOCK_FILE), { timeout: waitMs })
  try {
    lock.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE;')
  } catch (error) {
    lock.close()
    throw error
  }
  return lock
}

/** Returns whether the error is SQLite's code for a lock that another process holds. */
export const isLockHeld = (error: unknown): boolean => (error as { errcode?: number }).errcode === 5

export function isFolderInUse(folder: string): boolean {
  if (!existsSync(join(folder, LOCK_FILE))) return false
  try {
    lockFolder(folder, 0).close()
    return false
  } catch (error) {
    if (isLockHeld(error)) return true
    throw error
  }
}

/** Writes the service's address for the command line, which otherwise needs it as an option. */
export function noteAddress(folder: string, url: string): void {
  // The folder's owner may delete, but not overwrite, a file that another user left, for example the superuser.
  forgetAddress(folder)
  writeFileSync(join(folder, ADDRESS_FILE), `${url}\n`, { mode: 0o600 })
}

/** Deletes the address. Called by the process that holds the folder, if it serves no requests or is about to stop. */
export function forgetAddress(folder: string): void {
  rmSync(join(folder, ADDRESS_FILE), { force: true })
}

/** Returns the address of the service that holds the folder. It is valid only while the folder is held. */
export function notedAddress(folder: string): string | null {
  const file = join(folder, ADDRESS_FILE)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null
}

/** Returns when the content of the file is on the disk, or of the folder: the names in it. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
