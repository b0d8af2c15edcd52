// `millrace backup` and `millrace restore`: a copy of the embedded database, and a data folder made of one.
import {
  chmodSync,
  closeSync,
  copyFileSync,
  createWriteStream,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BadArchive } from '../../base/archive/tar.ts'
import {
  DATABASE_FILE,
  databaseFault,
  folderFault,
  holdsDatabase,
  KEY_FILE,
  makeFolder,
  RUN_LOG_FILE,
} from '../../base/data-folder.ts'
import { defineCommand, flag, text } from '../command.ts'
import { CliError, EXIT } from '../exit-code.ts'
import { isArchive, syncFolder, type Unpacked, unpack } from '../files/backup-archive.ts'

export const backup = defineCommand({
  name: 'backup',
  summary: 'Copy the embedded database and its files to a file, while the server runs',
  args: ['<file>'],
  options: { force: flag('overwrite the file') },
  details:
    'The file holds everything that was acknowledged before the command began: the database alone or, if there are\nfiles in the data folder, a tar archive of both. Files in a bucket stay there. It does not hold the key that seals\nsecrets: keep secret.key of the data folder, or MILLRACE_SECRET_KEY, in another safe place. Without that key nobody\ncan use the backup.',
  examples: [
    ['every night', 'millrace backup "/backup/millrace-$(date +%F).db"'],
    ['of another machine', 'millrace backup millrace.db --server https://flows.example.com'],
  ],
  async run({ connect, args, options, show, note }) {
    const file = resolve(args[0]!)
    if (existsSync(file) && !options.force)
      throw new CliError(EXIT.conflict, 'exists', `${file} already exists; --force overwrites it.`)
    const api = await connect()
    const partial = `${file}.partial`
    let kept: Unpacked
    let elsewhere: number
    try {
      const response = await api.fetch('POST', '/api/v1/backup', {})
      await pipeline(Readable.fromWeb(response.body as never), createWriteStream(partial, { mode: 0o600, flush: true }))
      elsewhere = Number(response.headers.get('millrace-files-elsewhere'))
      kept = await checkBackup(partial)
      renameSync(partial, file)
      syncFolder(dirname(file))
    } catch (error) {
      rmSync(partial, { force: true })
      throw error
    }
    note(
      'note: the backup does not contain the key that seals secrets; keep secret.key or MILLRACE_SECRET_KEY in another place.',
    )
    if (elsewhere > 0)
      note(`note: the backup does not contain ${elsewhere} ${plural(elsewhere)} in the bucket of MILLRACE_FILES_URL.`)
    const { size } = statSync(file)
    const told = {
      file,
      size,
      ...(kept.files && { files: kept.files }),
      ...(elsewhere && { filesElsewhere: elsewhere }),
    }
    return show(told, () => `Wrote ${file}, ${mebibytes(size)}${withFiles(kept)}.`)
  },
})

export const restore = defineCommand({
  name: 'restore',
  summary: 'Make a data folder from a backup',
  args: ['<file>'],
  options: {
    'data-dir': text('folder', 'the folder to make; by default MILLRACE_DATA_DIR'),
    'key-file': text('file', "a copy of the old folder's secret.key, which the backup does not hold"),
  },
  connects: false,
  details:
    'The folder must not hold a database yet. Runs that were under way when the backup was made\ncontinue when the server starts: requests that they sent after the backup are sent again.',
  examples: [
    ['with the key that was kept', 'millrace restore millrace-2026-11-15.db --data-dir restored --key-file secret.key'],
    [
      'with the key in the environment',
      'MILLRACE_SECRET_KEY="$KEY" millrace restore millrace-2026-11-15.db --data-dir trial',
    ],
  ],
  async run({ args, options, show, note, settings }) {
    const file = resolve(args[0]!)
    const folder = resolve(options['data-dir'] ?? settings.dataDir)
    if (holdsDatabase(folder))
      throw new CliError(
        EXIT.conflict,
        'exists',
        `${folder} already holds a database; nothing was changed. Move it away, or give another folder with --data-dir.`,
      )
    const fault = folderFault(folder, { made: true })
    if (fault !== null) throw new CliError(EXIT.failed, 'data_folder', `${folder} cannot be the data folder: ${fault}.`)
    statSync(file)
    await checkBackup(file)
    makeFolder(folder)
    if (options['key-file'] !== undefined) place(resolve(options['key-file']), join(folder, KEY_FILE))
    // Its runs are of the database that was there before.
    rmSync(join(folder, RUN_LOG_FILE), { force: true })
    const kept = await restoreTo(folder, file)
    const hasKey = existsSync(join(folder, KEY_FILE)) || Boolean(settings.variable('MILLRACE_SECRET_KEY'))
    if (!hasKey)
      note(
        `note: the key is missing. Put secret.key of the old folder into ${folder}, or set MILLRACE_SECRET_KEY; without it the server does not start.`,
      )
    const told = { dataDir: folder, hasKey, ...(kept.files && { files: kept.files }) }
    return show(told, () => `Restored ${file} to ${folder}${withFiles(kept)}.`)
  },
})

const NO_FILES: Unpacked = { files: 0, bytes: 0 }

const plural = (files: number): string => (files === 1 ? 'file' : 'files')
const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`
const withFiles = ({ files, bytes }: Unpacked): string =>
  files === 0 ? '' : `, with ${files} ${plural(files)} of ${mebibytes(bytes)}`

/** Returns what is beside the database. */
async function checkBackup(file: string): Promise<Unpacked> {
  const unusable = (fault: string) => new CliError(EXIT.failed, 'damaged', `${file} is not a usable backup: ${fault}.`)
  const check = (database: string) => {
    const fault = databaseFault(database)
    if (fault !== null) throw unusable(fault)
  }
  if (!isArchive(file)) {
    check(file)
    return NO_FILES
  }
  const trial = mkdtempSync(join(dirname(file), '.millrace-check-'))
  try {
    const database = join(trial, DATABASE_FILE)
    const kept = await unpack(file, database, null)
    check(database)
    return kept
  } catch (error) {
    throw error instanceof BadArchive ? unusable(error.message) : error
  } finally {
    rmSync(trial, { recursive: true, force: true })
  }
}

/** The database gets its name last: before that the folder holds none, and the command can be given again. */
async function restoreTo(folder: string, file: string): Promise<Unpacked> {
  const database = join(folder, DATABASE_FILE)
  if (!isArchive(file)) {
    place(file, database)
    return NO_FILES
  }
  const partial = `${database}.partial`
  const kept = await unpack(file, partial, folder)
  syncFolder(folder)
  renameSync(partial, database)
  syncFolder(folder)
  return kept
}

/** Copies and syncs the whole file before it gets its name. */
function place(from: string, to: string): void {
  if (existsSync(to)) throw new CliError(EXIT.conflict, 'exists', `${to} already exists; nothing was changed.`)
  const partial = `${to}.partial`
  copyFileSync(from, partial)
  chmodSync(partial, 0o600)
  const copy = openSync(partial, 'r+')
  fsyncSync(copy)
  closeSync(copy)
  renameSync(partial, to)
  syncFolder(dirname(to))
}
