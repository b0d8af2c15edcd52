// What a session with PostgreSQL is set to. By a statement after it is open: poolers refuse the start-up parameter `options`.
import type pg from 'pg'

export type SessionSettings = Readonly<Record<string, string | number>>

/**
 * A process that stands still, or is cut off, keeps what it has locked from all others: each of these has the server let go of it.
 * `statementMs` 0: statements may take as long as they like.
 */
export interface SessionLimits {
  statementMs: number
  idleInTransactionMs: number
}

/** How often the server looks whether whoever asked is still there, while a statement runs or waits for a lock. */
const LOOK_FOR_CLIENT_MS = 1_000
/** For so long a client may leave an answer unread that does not fit into the buffers on the way. */
const UNREAD_MS = 5_000

/** The statements of the hot path find rows by their keys: no statistics may tempt the planner to read the whole table. */
export const HOT_SETTINGS: SessionSettings = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
}

/** Servers that cannot look for their clients refuse the setting. */
export const CLIENT_CHECK: SessionSettings = { client_connection_check_interval: LOOK_FOR_CLIENT_MS }

export const limitsOf = ({ statementMs, idleInTransactionMs }: SessionLimits): SessionSettings => ({
  statement_timeout: statementMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
  tcp_user_timeout: UNREAD_MS,
})

/** One round trip, once per connection. */
export async function applySettings(client: Pick<pg.ClientBase, 'query'>, settings: SessionSettings): Promise<void> {
  await client.query(
    Object.entries(settings)
      .map(([name, value]) => `set ${name} = '${value}'`)
      .join('; '),
  )
}
