// The settings of a session with PostgreSQL, set by a statement: poolers refuse the start-up parameter `options`.
import type pg from 'pg'

export type SessionSettings = Readonly<Record<string, string | number>>

/**
 * A process that stands still, or is cut off, keeps its locks from all others: each of these limits makes the server release
 * them. `statementMs` 0: statements have no time limit.
 */
export interface SessionLimits {
  statementMs: number
  idleInTransactionMs: number
}

/** How often the server checks that the client is still there, while a statement runs or waits for a lock. */
const LOOK_FOR_CLIENT_MS = 1_000
/** How long a client may leave an answer unread that does not fit into the buffers of the socket. */
const UNREAD_MS = 5_000

/** Statements of the hot path find rows by their keys: no statistics may lead the planner to read a whole table. */
export const HOT_SETTINGS: SessionSettings = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
}

/** Servers that cannot check for their clients refuse this setting. */
export const CLIENT_CHECK: SessionSettings = { client_connection_check_interval: LOOK_FOR_CLIENT_MS }

export const limitsOf = ({ statementMs, idleInTransactionMs }: SessionLimits): SessionSettings => ({
  statement_timeout: statementMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
  tcp_user_timeout: UNREAD_MS,
})

/** Applies the settings in one round trip, once per session. */
export async function applySettings(client: Pick<pg.ClientBase, 'query'>, settings: SessionSettings): Promise<void> {
  await client.query(
    Object.entries(settings)
      .map(([name, value]) => `set ${name} = '${value}'`)
      .join('; '),
  )
}
