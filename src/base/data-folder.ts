// The files of a data folder, and whether a process uses it.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export const DATABASE_FILE = 'millrace.db'
export const KEY_FILE = 'secret.key'
/** Marks the file as Millrace's ("MiRa"), so that a foreign database is not taken over. */
export const APPLICATION_ID = 0x4d695261
export const LOCK_FILE = 'millrace.lock'
const ADDRESS_FILE = 'millrace.address'

export const holdsDatabase = (folder: string): boolean => existsSync(join(folder, DATABASE_FILE))

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
