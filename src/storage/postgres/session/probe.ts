// Examines a server before it is used: whether it is suitable, how its sessions have to be set, and what time it has.
import pg from 'pg'
import { DATABASE_NOW } from '../arrays.ts'
import type { PostgresClock } from './clock.ts'
import { isUnavailable, NOT_A_SESSION } from './faults.ts'
import { applySettings, CLIENT_CHECK, type SessionSettings } from './sessions.ts'

const OLDEST_SERVER = 140_000
const PROBE_EVERY_MS = 250
/** Several tries are needed because other clients may use the pooler at the same moment and hide what it does. */
const LOOKS = 5
const INVALID_VALUE = '22023'

/** The server can be reached, but is not suitable. */
export class Unfit extends Error {
  readonly advice: string

  constructor(reason: string, advice: string) {
    super(reason)
    this.advice = advice
  }
}

/** Returns the session settings by which a commit is on disk when it returns, and no client waits for one that is gone. */
export async function probePatiently(
  config: pg.ClientConfig,
  clock: PostgresClock,
  patienceMs: number,
): Promise<SessionSettings> {
  const deadline = performance.now() + patienceMs
  for (;;)
    try {
      return await onClient(config, (client) => probe(client, config, clock))
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS))
    }
}

async function onClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

async function probe(client: pg.Client, config: pg.ClientConfig, clock: PostgresClock): Promise<SessionSettings> {
  const { rows } = await client.query(
    `select current_setting('server_version_num')::int as version, current_setting('server_version') as name,
      current_setting('synchronous_commit') as commit`,
  )
  const { version, name, commit } = rows[0] as { version: number; name: string; commit: string }
  if (version < OLDEST_SERVER) throw new Unfit(`it is PostgreSQL ${name}`, 'Use PostgreSQL 14 or newer.')
  if (await isShared(client, config)) throw new Unfit(NOT_A_SESSION.reason, NOT_A_SESSION.advice)
  await clock.measure(() => databaseTime(client))
  return {
    // A server may be configured to acknowledge before it has written; Millrace promises more.
    ...(commit === 'off' && { synchronous_commit: 'on' }),
    ...((await takes(client, CLIENT_CHECK)) && CLIENT_CHECK),
  }
}

export async function databaseTime(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query(`select ${DATABASE_NOW} as now`)
  return Number(rows[0].now)
}

async function takes(client: pg.Client, settings: SessionSettings): Promise<boolean> {
  try {
    await applySettings(client, settings)
    return true
  } catch (error) {
    if ((error as { code?: string }).code !== INVALID_VALUE) throw error
    return false
  }
}

/**
 * Returns whether a pooler moves the server's sessions between clients. Only a pooler announces a process id that differs
 * from the session's; a pooler that gives each client a session never shows one session to two clients, or two to one.
 */
async function isShared(client: pg.Client, config: pg.ClientConfig): Promise<boolean> {
  const session = async (of: pg.Client): Promise<number> =>
    (await of.query('select pg_backend_pid() as pid')).rows[0].pid
  const announced = (client as unknown as { processID: number | null }).processID
  const own = await session(client)
  if (announced === own) return false
  return onClient(config, async (other) => {
    for (let i = 0; i < LOOKS; i++) if ((await session(client)) !== own || (await session(other)) === own) return true
    return false
  })
}
