// The data folder, its disk, the database and its key.

import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../app/config.ts'
import {
  DATABASE_FILE,
  databaseFault,
  folderFault,
  holdsDatabase,
  isFolderInUse,
  notedAddress,
} from '../../base/data-folder.ts'
import { KeyRefused } from '../../base/refusals.ts'
import { type CheckResult, failed, ok, warning } from './finding.ts'

const LEAST_FREE_BYTES = 1024 ** 3
const SLOW_SYNC_MS = 20
const SYNCS = 20
/** From linux/magic.h and the file systems themselves. */
const UNSUITABLE: Record<number, string> = {
  26985: 'NFS',
  4283649346: 'CIFS',
  4266872130: 'SMB',
  16914836: 'a disk in memory (tmpfs)',
}

export async function checkFolder(config: Config): Promise<CheckResult[]> {
  const folder = config.dataDir
  const fault = folderFault(folder, { made: true })
  if (fault !== null) return [failed('data folder', `${folder} cannot be used: ${fault}.`)]
  if (!existsSync(folder)) return [warning('data folder', `${folder} does not exist yet; "millrace serve" makes it.`)]
  return [checkRights(folder), checkRoom(folder), checkSync(folder), ...(await checkDatabase(config))]
}

function checkRights(folder: string): CheckResult {
  const open = statSync(folder).mode & 0o077
  return open
    ? warning('data folder', `Users other than the owner can enter ${folder}: run "chmod 700 ${folder}"`)
    : ok('data folder', `${folder} is for its owner only.`)
}

function checkRoom(folder: string): CheckResult {
  const { type, bavail, bsize } = statfsSync(folder)
  const kind = UNSUITABLE[type >>> 0]
  if (kind) return failed('disk', `${folder} is on ${kind}, which does not keep data safe; use a local disk.`)
  const free = bavail * bsize
  const shown = `${(free / 1024 ** 3).toFixed(1)} GiB free`
  return free < LEAST_FREE_BYTES ? warning('disk', `Only ${shown} in ${folder}.`) : ok('disk', `${shown}.`)
}

/** What each acknowledgement waits for. */
function checkSync(folder: string): CheckResult {
  const file = join(folder, `millrace.doctor-${process.pid}`)
  const handle = openSync(file, 'w', 0o600)
  const times: number[] = []
  try {
    for (let i = 0; i < SYNCS; i++) {
      writeSync(handle, Buffer.alloc(4096, i))
      const started = performance.now()
      fsyncSync(handle)
      times.push(performance.now() - started)
    }
  } finally {
    closeSync(handle)
    rmSync(file, { force: true })
  }
  const median = times.toSorted((a, b) => a - b)[SYNCS / 2]!
  const shown = `A sync to the disk takes ${median.toFixed(2)} ms`
  return median > SLOW_SYNC_MS
    ? warning('disk sync', `${shown}: deliveries are acknowledged slowly. Use a faster disk.`)
    : ok('disk sync', `${shown}.`)
}

async function checkDatabase(config: Config): Promise<CheckResult[]> {
  const folder = config.dataDir
  if (!holdsDatabase(folder)) return [warning('database', `There is no database in ${folder} yet.`)]
  if (isFolderInUse(folder))
    return [ok('database', `In use by the server at ${notedAddress(folder) ?? 'an address that is not known'}.`)]
  const fault = databaseFault(join(folder, DATABASE_FILE))
  if (fault !== null) return [failed('database', `${fault}. Restore a backup.`)]
  return [ok('database', 'The database is intact.'), await checkStart(config)]
}

/** As a start would find it: the database can be used, and the key opens what is sealed. */
export async function checkStart(config: Config): Promise<CheckResult> {
  const { startApp } = await import('../../app/start.ts')
  const own = { ...config, role: 'all' as const, host: '127.0.0.1', port: 0, logLevel: 'silent' as const }
  try {
    const app = await startApp(own, { write: () => {} }, { idle: true })
    await app.stop()
    return ok('key', 'The key opens the sealed secrets of the database.')
  } catch (error) {
    return failed(error instanceof KeyRefused ? 'key' : 'database', (error as Error).message)
  }
}
