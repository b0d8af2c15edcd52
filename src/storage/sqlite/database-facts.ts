import { existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { DATABASE_FILE } from '../../base/data-folder.ts'
import type { DatabaseFacts } from '../../operations/ports/instance.ts'
import type { Session } from './settling-database.ts'

/** Returns a function that tells what the database takes, its log included, and what is free in its folder. */
export function createDatabaseFacts(raw: Session, folder: string): () => Promise<DatabaseFacts> {
  const version = raw.prepare('SELECT sqlite_version() AS version').get()!['version'] as string
  const files = ['', '-wal'].map((end) => join(folder, `${DATABASE_FILE}${end}`))
  return async () => {
    const bytes = files.reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0)
    const { bavail, bsize } = await statfs(folder)
    return { version, bytes, freeBytes: bavail * bsize }
  }
}
