// `millrace audit …`: copies the audit log, and checks that nobody has changed it.
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { defineCommand, flag, text } from '../../command.ts'
import { CliError, EXIT } from '../../exit-code.ts'
import { syncFolder } from '../../files/backup-archive.ts'

export const exportAudit = defineCommand({
  name: 'audit export',
  summary: 'Copy the audit log to a file, one JSON document in each line',
  args: ['<file>'],
  options: {
    since: text('time', 'entries from this time on, as 2026-11-01 or with a time'),
    until: text('time', 'entries before this time'),
    force: flag('overwrite the file'),
  },
  details:
    'Each line has the hash of the one before. `millrace audit verify --file` checks them without the database. It needs the scope admin, and is itself an entry of the log.',
  examples: [
    ['everything', 'millrace audit export audit.jsonl'],
    ['one month', 'millrace audit export november.jsonl --since 2026-11-01 --until 2026-12-01'],
  ],
  async run({ connect, args, options, show }) {
    const file = resolve(args[0]!)
    if (existsSync(file) && !options.force)
      throw new CliError(EXIT.conflict, 'exists', `${file} already exists; --force overwrites it.`)
    const query = new URLSearchParams()
    for (const name of ['since', 'until'] as const) if (options[name] !== undefined) query.set(name, options[name])
    const api = await connect()
    const partial = `${file}.partial`
    let entries = 0
    try {
      const { body } = await api.fetch('GET', `/api/v1/audit/export?${query.toString()}`, {})
      await pipeline(
        Readable.fromWeb(body as never),
        async function* (chunks: AsyncIterable<Uint8Array>) {
          for await (const chunk of chunks) {
            for (const byte of chunk) if (byte === LINE_END) entries++
            yield chunk
          }
        },
        createWriteStream(partial, { mode: 0o600, flush: true }),
      )
      renameSync(partial, file)
      syncFolder(dirname(file))
    } catch (error) {
      rmSync(partial, { force: true })
      throw error
    }
    return show({ file, entries }, () => `Wrote ${file}: ${count(entries, 'entry', 'entries')}.`)
  },
})

const LINE_END = 10
const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`

export const verifyAudit = defineCommand({
  name: 'audit verify',
  summary: 'Check that no entry of the audit log was changed, removed or cut off',
  options: {
    file: text('file', 'an export to check, without the database and its key'),
    'data-dir': text('folder', 'the data folder; by default MILLRACE_DATA_DIR'),
  },
  connects: false,
  details:
    'Reads the database itself, also while the service runs, and needs the key that seals secrets: the ends of the chains are signed\nwith it. Exit code 1 and the first entry that does not hold, if one does not. An export shows changes between its first and\nlast line of each chain.',
  examples: [
    ['where the service runs', 'millrace audit verify'],
    ['a copy that was kept elsewhere', 'millrace audit verify --file audit.jsonl'],
  ],
  async run({ options, settings, show, terminal }) {
    const { verifyDatabase, verifyFile } = await import('../../../app/audit-log/open-log.ts')
    const progress = (entries: number) => terminal.progress(`${entries} entries …`)
    const config = options.file === undefined ? settings.service() : null
    const { faults, ...found } = config
      ? await verifyDatabase({ ...config, dataDir: options['data-dir'] ?? config.dataDir }, progress)
      : await verifyFile(resolve(options.file!), progress)
    terminal.progress('')
    const { entries, chains, unchained } = found
    if (faults.length)
      throw new CliError(
        EXIT.failed,
        'audit_broken',
        'The audit log does not hold.',
        faults.map(({ chain, seq, id, message }) => {
          const place = [chain && `chain ${chain}`, seq !== null && `entry ${seq}`, id].filter(Boolean).join(', ')
          return place === '' ? message : `${place}: ${message}`
        }),
      )
    const older =
      unchained === 0 ? '' : ` ${count(unchained, 'entry', 'entries')} from before there were chains cannot be checked.`
    return show(
      { ...found, holds: true },
      () =>
        `The audit log holds: ${count(entries, 'entry', 'entries')} in ${count(chains, 'chain', 'chains')}.${older}`,
    )
  },
})
