// The files of a data folder, whether they can be worked with, and whether a process uses it.
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export const DATABASE_FILE = 'millrace.db'
export const KEY_FILE = 'secret.key'
/** Marks the file as Millrace's ("MiRa"), so that a foreign database is not taken over. */
export const APPLICATION_ID = 0x4d695261
export const LOCK_FILE = 'millrace.lock'
const ADDRESS_FILE = 'millrace.address'

export const holdsDatabase = (folder: string): boolean => existsSync(join(folder, DATABASE_FILE))

/** Makes it and what leads to it. Node's own way (`recursive`) never ends where a file system makes no folders, as /proc. */
export function makeFolder(folder: string): void {
  const path = resolve(folder)
  if (existsSync(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Made by somebody else meanwhile; whether it is a folder is for `folderFault` to find.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Why this process cannot work in the folder, or make one that is `made` where it is missing; null: nothing speaks against it.
 * SQLite opens files that it may not write, and fails later; a lock on such a file keeps nobody out.
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
  for (const name of [DATABASE_FILE, `${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`, LOCK_FILE, ADDRESS_FILE]) {
    const file = join(path, name)
    // The address is replaced, not overwritten.
    const found = entryFault(file, 'isFile', name === ADDRESS_FILE ? 0 : R_OK | W_OK)
    if (found !== null) return found
  }
  return null
}

/** A folder that may not be entered hides what is in it: then that folder is the nearest. */
function nearestThatExists(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThatExists(dirname(path))
}

function entryFault(path: string, kind: 'isDirectory' | 'isFile', mode: number): string | null {
  const entry = statSync(path, { throwIfNoEntry: false })
  // A service that stops meanwhile takes away the files beside its database.
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

/** Why a file cannot be the database; null: it can, every page of it. */
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

/** Held until it is closed or the process ends, however it ends; throws where another process holds it. */
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

/** What SQLite says where somebody else holds the lock. */
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

/** For the command line: where the service that holds the folder answers. Without it that has to be told. */
export function noteAddress(folder: string, url: string): void {
  // That of another user may be in its place, of the superuser for example: the folder's owner may take it away, and not write it.
  forgetAddress(folder)
  writeFileSync(join(folder, ADDRESS_FILE), `${url}\n`, { mode: 0o600 })
}

/** By whoever holds the folder and listens for nobody, or is about to leave it. */
export function forgetAddress(folder: string): void {
  rmSync(join(folder, ADDRESS_FILE), { force: true })
}

/** Of the service that holds the folder; true only while it does. */
export function notedAddress(folder: string): string | null {
  const file = join(folder, ADDRESS_FILE)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null
}
