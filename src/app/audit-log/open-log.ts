// Opens the database for a command on the machine, also while the service runs, with the keys that sign its audit log.
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Kysely } from 'kysely'
import { createIds } from '../../engine/ids.ts'
import type { Together } from '../../operations/ports/audit.ts'
import { MAIN_CHAIN, type Signing } from '../../operations/ports/audit-log/chain.ts'
import { Audit } from '../../operations/upkeep/audit.ts'
import { type Verified, verifyChains, verifyLines } from '../../operations/upkeep/audit-log/verify-chains.ts'
import { openVault } from '../../secrets/open-vault.ts'
import { openPostgres } from '../../storage/postgres/database.ts'
import type { Tables } from '../../storage/rows/tables.ts'
import { openBeside } from '../../storage/sqlite/database.ts'
import { createAuditChains } from '../../storage/stores/audit/audit-chains.ts'
import { createAuditStore } from '../../storage/stores/audit/audit-store.ts'
import { createVaultRecords } from '../../storage/stores/vault-records.ts'
import type { Config } from '../config.ts'
import { auditSigning } from './signing.ts'

interface OpenLog {
  kysely: Kysely<Tables>
  together: Together
  signing: Signing
  close(): Promise<void>
}

async function openLog({ databaseUrl, dataDir, secretKeys }: Config): Promise<OpenLog> {
  const storage = databaseUrl ? await openPostgres(databaseUrl) : openBeside(dataDir)
  try {
    const { kysely, together } = storage
    const place = databaseUrl
      ? ({ kind: 'postgres', place: 'the database of DATABASE_URL' } as const)
      : ({ kind: 'sqlite', place: dataDir } as const)
    const vault = await openVault(secretKeys, dataDir, createVaultRecords(kysely), place)
    return { kysely, together, signing: auditSigning(vault), close: () => storage.close() }
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** Does the work with an audit log to record it in. */
export async function withAudit<T>(
  config: Config,
  work: (kysely: Kysely<Tables>, audit: Audit) => Promise<T>,
): Promise<T> {
  const { kysely, together, signing, close } = await openLog(config)
  const ids = createIds(Date.now, randomBytes)
  // On PostgreSQL each process has its own chain, and this is one.
  const chain = config.databaseUrl ? `node_${randomBytes(10).toString('hex')}` : MAIN_CHAIN
  const audit = new Audit({
    store: createAuditStore(kysely, { together, chain, signing, ids, now: Date.now }),
    ids,
    now: Date.now,
    redact: (value) => value,
    together,
    failed: () => {},
  })
  try {
    return await work(kysely, audit)
  } finally {
    await close()
  }
}

/** Checks the chains of the audit log in the database. */
export async function verifyDatabase(config: Config, progress: (entries: number) => void): Promise<Verified> {
  const { kysely, signing, close } = await openLog(config)
  try {
    return await verifyChains(createAuditChains(kysely, signing), signing, progress)
  } finally {
    await close()
  }
}

/** Checks an export, without a database. */
export const verifyFile = (path: string, progress: (entries: number) => void): Promise<Verified> =>
  verifyLines(linesOf(path), progress)

/** No entry is as long; a file without line ends is not read into memory as a whole. */
const LONGEST_LINE = 16 * 1024 * 1024

async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = (chunk as string).split('\n')
    lines[0] = rest + lines[0]!
    rest = lines.pop()!
    if (rest.length > LONGEST_LINE)
      throw new Error(`${path} is no export of an audit log: it has a line that does not end.`)
    yield* lines
  }
  if (rest !== '') yield rest
}
