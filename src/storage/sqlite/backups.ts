// Makes copies of the embedded database while it is in use, and of the files beside it, and deletes them when they have been read.
import { closeSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { copyFile, link, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { DATABASE_FILE } from '../../base/data-folder.ts'
import { threadFile } from '../../base/package-files.ts'
import type { Backup, Backups } from '../../operations/ports/upkeep.ts'
import { diskPath, FILES_FOLDER } from '../files/disk-place.ts'
import { sealedSize } from '../files/frames.ts'

const COPY = 'millrace.backup'

/** `settled` resolves when all that is acknowledged is in the database. */
export function createSqliteBackups(folder: string, settled: () => Promise<void>): Backups {
  // Deletes what a process left behind that ended during a backup.
  for (const left of readdirSync(folder).filter((name) => name.startsWith(`${COPY}-`)))
    rmSync(join(folder, left), { force: true, recursive: true })
  let made = 0
  return {
    async make() {
      const path = join(folder, `${COPY}-${process.pid}-${++made}`)
      const links = `${path}-files`
      const remove = () => {
        rmSync(path, { force: true })
        rmSync(links, { force: true, recursive: true })
      }
      try {
        // The file is created first, so that only its owner can read it from the beginning.
        closeSync(openSync(path, 'wx', 0o600))
        await settled()
        await copyInThread(join(folder, DATABASE_FILE), path)
        return { path, size: statSync(path).size, ...(await linkFiles(folder, path, links)), remove }
      } catch (error) {
        remove()
        throw error
      }
    },
  }
}

function copyInThread(from: string, to: string): Promise<void> {
  const worker = new Worker(threadFile('storage/sqlite/vacuum-into'), { workerData: { from, to } })
  return new Promise((resolve, reject) => {
    worker.on('error', reject)
    worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`the copy ended with code ${code}`))))
  })
}

/** Gives the files that a copy of the database names a second name, so that they stay until the backup has been read. */
async function linkFiles(folder: string, copy: string, links: string): Promise<Pick<Backup, 'files' | 'elsewhere'>> {
  const database = new DatabaseSync(copy, { readOnly: true })
  const files: Backup['files'][number][] = []
  try {
    const [elsewhere] = database
      .prepare(`SELECT count(*) AS n FROM file WHERE state = 'stored' AND place <> 'disk'`)
      .all()
    const rows = database.prepare(`SELECT id, size FROM file WHERE state = 'stored' AND place = 'disk' ORDER BY id`)
    await mkdir(links, { mode: 0o700 })
    for (const row of rows.iterate() as Iterable<Record<string, unknown>>) {
      const [id, size] = [row['id'] as string, row['size'] as number]
      const name = join(FILES_FOLDER, diskPath(id))
      const path = join(links, basename(name))
      if (await hasLinked(join(folder, name), path)) files.push({ name, path, size: sealedSize(size) })
    }
    return { files, elsewhere: elsewhere!['n'] as number }
  } finally {
    database.close()
  }
}

/** Returns false if the bytes are missing, which no backup can heal. Some file systems have no links. */
async function hasLinked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw error
      return copyFile(from, to)
    })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
