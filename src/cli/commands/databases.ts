// `millrace migrate` and `millrace transfer`: on the database itself, without a service.
import { readConfig } from '../../app/config.ts'
import { defineCommand, text } from '../command.ts'
import { EXIT, usageError } from '../exit-code.ts'

const folder = { 'data-dir': text('folder', 'the data folder; by default MILLRACE_DATA_DIR') }

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: "Bring the database to this version's schema",
  options: folder,
  connects: false,
  details:
    'Every start does this, and processes that start together do it once. Use the command before an upgrade of several processes, or if those may not change the schema.',
  examples: [['on PostgreSQL', 'DATABASE_URL=postgres://millrace:password@db.example.com/millrace millrace migrate']],
  async run({ options, show }) {
    const config = readConfig()
    const { migrateDatabase } = await import('../../app/migrate-database.ts')
    const place = await migrateDatabase({ ...config, dataDir: options['data-dir'] ?? config.dataDir })
    return show({ migrated: true }, () => `The schema of ${place} is up to date.`)
  },
})

export const transferCommand = defineCommand({
  name: 'transfer',
  summary: 'Move everything from the data folder to the PostgreSQL database of DATABASE_URL',
  options: folder,
  connects: false,
  details:
    'Moves flows, versions, connections, users, runs, deliveries and files, all or nothing, into an empty database. Stop the service first. The first process that starts with DATABASE_URL continues the runs under way. The folder stays as it is.',
  examples: [
    [
      'with the service stopped',
      'DATABASE_URL=postgres://millrace:password@db.example.com/millrace millrace transfer --data-dir /var/lib/millrace',
    ],
  ],
  async run({ options, show, note }) {
    const config = readConfig()
    const { databaseUrl } = config
    if (databaseUrl === null) throw usageError('Set DATABASE_URL to the PostgreSQL database to move everything to.')
    const dataDir = options['data-dir'] ?? config.dataDir
    const { transferToPostgres } = await import('../../app/transfer-to-postgres.ts')
    const { rows: moved, files, fileBytes } = await transferToPostgres({ ...config, databaseUrl, dataDir })
    const rows = Object.values(moved).reduce((sum, count) => sum + count, 0)
    note(
      config.secretKeys === null
        ? `The key that seals secrets is ${dataDir}/secret.key: give its content to every process as MILLRACE_SECRET_KEY.`
        : 'Give every process the same MILLRACE_SECRET_KEY as before.',
    )
    note(`Do not start the service on ${dataDir} again: its runs now continue in PostgreSQL.`)
    const withFiles = files
      ? `, and ${files} ${files === 1 ? 'file' : 'files'} of ${(fileBytes / 1024 / 1024).toFixed(1)} MiB`
      : ''
    show(
      { moved, ...(files && { files, fileBytes }) },
      () => `${rows} rows of ${Object.keys(moved).length} tables are in PostgreSQL${withFiles}.`,
    )
    return EXIT.ok
  },
})
