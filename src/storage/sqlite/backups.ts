// Makes copies of the embedded database while it is in use, beside it, and deletes them when they have been read.
import { closeSync, globSync, openSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { DATABASE_FILE } from '../../base/data-folder.ts'
import { threadFile } from '../../base/package-files.ts'
import type { Backups } from '../../operations/ports/upkeep.ts'

const COPY = 'millrace.backup'

export function createSqliteBackups(folder: string): Backups {
  // Deletes what a process left behind that ended during a backup.
  for (const left of globSync(`${COPY}-*`, { cwd: folder })) rmSync(join(folder, left), { force: true })
  let made = 0
  return {
    async make() {
      const path = join(folder, `${COPY}-${process.pid}-${++made}`)
      const remove = () => rmSync(path, { force: true })
      try {
        // The file is created first, so that only its owner can read it from the beginning.
        closeSync(openSync(path, 'wx', 0o600))
        await copyInThread(join(folder, DATABASE_FILE), path)
        return { path, size: statSync(path).size, remove }
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
