// Reads what came for the callbacks of a run, for display: whoever has a URL decides how much that is.
import type { Kysely } from 'kysely'
import type { ShownAnswers } from '../../../operations/ports/callbacks/callbacks.ts'
import { bytesUpTo, UNBOUNDED } from '../../rows/bounded.ts'
import type { Tables } from '../../rows/tables.ts'
import type { sealingOf } from './callback-journal.ts'

/** So many are looked at, for all callbacks together. */
const MOST = 1_000
/** So many early ones are shown of each callback. */
const MOST_EARLY_SHOWN = 10

/** Those that fit into `maxBytes` come along, the answers that were taken before those that wait. */
export async function shownAnswers(
  db: Kysely<Tables>,
  sealing: ReturnType<typeof sealingOf>,
  ids: readonly string[],
  maxBytes: number,
): Promise<ReadonlyMap<string, ShownAnswers>> {
  if (ids.length === 0) return new Map()
  const sizes = await db
    .selectFrom('callback_answer')
    .select(['id', 'callback_id', 'state', bytesUpTo(['sealed'], UNBOUNDED).as('bytes')])
    .where('callback_id', 'in', ids)
    .where('state', 'in', ['taken', 'new'])
    .orderBy('state', 'desc')
    .orderBy('id')
    .limit(MOST)
    .execute()
  const byCallback = new Map<string, ShownAnswers>()
  const fitting = new Map<string, (typeof sizes)[number]>()
  const early = new Map<string, number>()
  let left = maxBytes
  for (const row of sizes) {
    const of = row.callback_id
    const shown = byCallback.get(of) ?? { answer: null, early: [], omitted: [] }
    byCallback.set(of, shown)
    const part = row.state === 'taken' ? 'answer' : 'early'
    if (part === 'early') {
      early.set(of, (early.get(of) ?? 0) + 1)
      if (early.get(of)! > MOST_EARLY_SHOWN) continue
    }
    if (row.bytes <= left) {
      left -= row.bytes
      fitting.set(row.id, row)
    } else if (!shown.omitted.includes(part)) shown.omitted.push(part)
  }
  if (fitting.size === 0) return byCallback
  const rows = await db
    .selectFrom('callback_answer')
    .select(['id', 'sealed'])
    .where('id', 'in', [...fitting.keys()])
    .orderBy('id')
    .execute()
  for (const row of rows) {
    const { callback_id: of, state } = fitting.get(row.id)!
    const shown = byCallback.get(of)!
    const data = sealing.openAnswer(row)
    if (state === 'taken') shown.answer = data
    else shown.early.push(data)
  }
  return byCallback
}
