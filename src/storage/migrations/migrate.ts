// Brings a database to the schema of this version; refuses one that a newer Millrace has written. A database records the
// names of its migrations, in order. So no name may change, and the numbers that were never used (009, 010 and 015) stay
// unused: Kysely refuses a migration that comes before one that is done. A new migration takes the number after the highest.
import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Dialect } from '../rows/dialect.ts'
import { stats } from './017-stats.ts'
import { lastEditor } from './018-last-editor.ts'
import { triggers } from './019-triggers.ts'
import { connectionTests } from './020-connection-tests.ts'
import { labels } from './021-labels.ts'
import { failures } from './022-failures.ts'
import { alerts } from './023-alerts.ts'
import { callbacks } from './024-callbacks.ts'
import { lateLabels } from './025-late-labels.ts'
import { events } from './026-events.ts'
import { retention } from './027-retention.ts'
import { files } from './028-files.ts'
import { signIn } from './029-sign-in.ts'
import { narrowAccess } from './030-narrow-access.ts'
import { auditChain } from './031-audit-chain.ts'
import { wideRows } from './032-wide-rows.ts'
import { runLog } from './033-run-log.ts'
import { core } from './first-version/001-core.ts'
import { secrets } from './first-version/002-secrets.ts'
import { keyValues } from './first-version/003-key-values.ts'
import { connections } from './first-version/004-connections.ts'
import { access } from './first-version/005-access.ts'
import { activity } from './first-version/006-activity.ts'
import { waiting } from './first-version/007-waiting.ts'
import { sealed } from './first-version/008-sealed.ts'
import { flowSource } from './first-version/011-flow-source.ts'
import { dispatch } from './first-version/012-dispatch.ts'
import { runLists } from './first-version/013-run-lists.ts'
import { rejected } from './first-version/014-rejected.ts'
import { invitationMakers } from './first-version/016-invitation-makers.ts'

type Step = (db: Kysely<unknown>, dialect: Dialect) => Promise<void>

const MIGRATIONS: Record<string, Step> = {
  '001-core': core,
  '002-secrets': secrets,
  '003-key-values': keyValues,
  '004-connections': connections,
  '005-access': access,
  '006-activity': activity,
  '007-waiting': waiting,
  '008-sealed': sealed,
  '011-flow-source': flowSource,
  '012-dispatch': dispatch,
  '013-run-lists': runLists,
  '014-rejected': rejected,
  '016-invitation-makers': invitationMakers,
  '017-stats': stats,
  '018-last-editor': lastEditor,
  '019-triggers': triggers,
  '020-connection-tests': connectionTests,
  '021-labels': labels,
  '022-failures': failures,
  '023-alerts': alerts,
  '024-callbacks': callbacks,
  '025-late-labels': lateLabels,
  '026-events': events,
  '027-retention': retention,
  '028-files': files,
  '029-sign-in': signIn,
  '030-narrow-access': narrowAccess,
  '031-audit-chain': auditChain,
  '032-wide-rows': wideRows,
  '033-run-log': runLog,
}

export class NewerSchema extends Error {}

// biome-ignore lint/suspicious/noExplicitAny: migrations come before the tables they make
type AnyTables = any

/** `upTo`: the last migration to run; without it all run. */
export async function migrate(db: Kysely<AnyTables>, dialect: Dialect, upTo?: string): Promise<void> {
  const migrations: Record<string, Migration> = {}
  for (const [name, up] of Object.entries(MIGRATIONS)) migrations[name] = { up: (on) => up(on, dialect) }
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const applied = await appliedMigrations(db)
  const unknown = applied.filter((name) => !Object.hasOwn(MIGRATIONS, name))
  if (unknown.length) throw new NewerSchema(`it was written by a newer version of Millrace (it has "${unknown[0]}")`)
  if (applied.length === Object.keys(MIGRATIONS).length) return
  // All migrations that are due, and their record, are one transaction: a kill leaves none half done.
  const { error } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo))
  if (error) throw error
}

async function appliedMigrations(db: Kysely<AnyTables>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return []
  const rows = await db.selectFrom('kysely_migration').select('name').execute()
  return rows.map((row) => String(row['name']))
}
