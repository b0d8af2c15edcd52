// The audit log: entries are only added, each to the end of a chain, and deleted from the oldest on.
import type { Kysely } from 'kysely'
import { type Ids, idTime } from '../../../engine/ids.ts'
import { parseJson } from '../../../flow/json/parse-json.ts'
import type { AuditAction, AuditEntry, AuditStore, Together } from '../../../operations/ports/audit.ts'
import {
  anchorText,
  hashOf,
  headText,
  MAIN_CHAIN,
  type Signing,
  type StoredEntry,
} from '../../../operations/ports/audit-log/chain.ts'
import { paged } from '../../rows/paged.ts'
import type { AuditTable, Tables } from '../../rows/tables.ts'

export interface AuditStorePorts {
  together: Together
  /** The chain of this process. */
  chain: string
  signing: Signing
  ids: Pick<Ids, 'next'>
  now(): number
}

const targetOf = (row: AuditTable): AuditEntry['target'] =>
  row.target_kind === null ? null : { kind: row.target_kind, id: row.target_id!, name: row.target_name }

const toEntry = (row: AuditTable): AuditEntry => ({
  id: row.id,
  at: row.at,
  actor: row.actor,
  actorId: row.actor_id,
  action: row.action as AuditAction,
  target: targetOf(row),
  details: parseJson(row.details) as Record<string, unknown>,
})

export const toStored = (row: AuditTable): StoredEntry => ({
  id: row.id,
  at: row.at,
  actor: row.actor,
  actorId: row.actor_id,
  action: row.action,
  target: targetOf(row),
  details: row.details,
  chain: row.chain,
  seq: row.seq,
  prev: row.prev,
  hash: row.hash,
})

/** Both databases keep such a text as it is, so that its hash stays right. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}')
const storableOrNull = (text: string | null): string | null => (text === null ? null : storable(text))

const toRow = ({ id, at, actor, actorId, action, target, details }: AuditEntry): AuditTable => ({
  id,
  at,
  actor: storable(actor),
  actor_id: storableOrNull(actorId),
  action,
  target_kind: target?.kind ?? null,
  target_id: target ? storable(target.id) : null,
  target_name: storableOrNull(target?.name ?? null),
  details: JSON.stringify(details),
  chain: null,
  seq: null,
  prev: null,
  hash: null,
})

export function createAuditStore(db: Kysely<Tables>, ports: AuditStorePorts): AuditStore {
  const { together, signing, ids, now } = ports
  // The chain comes before what is in it, also in the list.
  const begun = { id: ids.next('aud'), at: now() }

  /** Takes the next number of a chain, whose row stays locked until the transaction ends. */
  const next = (chain: string) =>
    db
      .updateTable('audit_chain')
      .set((eb) => ({ seq: eb('seq', '+', 1) }))
      .where('id', '=', chain)
      .returning(['seq', 'hash'])
      .executeTakeFirst()

  const append = async (chain: string, entry: AuditEntry): Promise<void> => {
    const { seq, hash: prev } = (await next(chain)) ?? (await begin(chain))
    const row = { ...toRow(entry), chain, seq, prev }
    const hash = hashOf(toStored(row))
    await db
      .insertInto('audit')
      .values({ ...row, hash })
      .execute()
    const signature = signing.sign(headText({ id: chain, seq, hash }))
    await db.updateTable('audit_chain').set({ hash, signature }).where('id', '=', chain).execute()
  }

  /** Begins a chain; the chain of a process is named in the main one, so that it cannot go missing as a whole. */
  const begin = async (chain: string): Promise<{ seq: number; hash: string | null }> => {
    const { numInsertedOrUpdatedRows: added } = await db
      .insertInto('audit_chain')
      .values({
        id: chain,
        seq: 0,
        hash: null,
        signature: null,
        anchor_seq: 0,
        anchor_hash: null,
        anchor_at: null,
        anchor_signature: null,
      })
      .onConflict((c) => c.column('id').doNothing())
      .executeTakeFirst()
    if (added && chain !== MAIN_CHAIN)
      await append(MAIN_CHAIN, {
        ...begun,
        actor: 'millrace',
        actorId: null,
        action: 'audit.chain',
        target: { kind: 'chain', id: chain, name: null },
        details: {},
      })
    return (await next(chain))!
  }

  /** Deletes the oldest entries of a chain, and leaves a signed anchor in their place. */
  const deleteFrom = async (chain: string, before: string, limit: number): Promise<number> => {
    const state = await db.selectFrom('audit_chain').selectAll().where('id', '=', chain).executeTakeFirst()
    const oldest = await db
      .selectFrom('audit')
      .select(['id', 'seq', 'hash'])
      .where('chain', '=', chain)
      .orderBy('seq')
      .limit(limit)
      .execute()
    const end = oldest.findIndex(({ id }) => id >= before)
    const count = end === -1 ? oldest.length : end
    if (!state || count === 0) return 0
    const anchor = { seq: oldest[count - 1]!.seq!, hash: oldest[count - 1]!.hash!, at: now() }
    const { numUpdatedRows } = await db
      .updateTable('audit_chain')
      .set({
        anchor_seq: anchor.seq,
        anchor_hash: anchor.hash,
        anchor_at: anchor.at,
        anchor_signature: signing.sign(anchorText(chain, anchor)),
      })
      .where('id', '=', chain)
      .where('anchor_seq', '=', state.anchor_seq)
      .executeTakeFirst()
    // Another process does the same.
    if (!numUpdatedRows) return 0
    await db.deleteFrom('audit').where('chain', '=', chain).where('seq', '<=', anchor.seq).execute()
    return count
  }

  return {
    // The chain is locked last, for no longer than the commit takes: so no two deeds can wait for each other.
    add: (entry) => together.last(() => append(ports.chain, entry)),

    async list({ limit, cursor }) {
      let query = db
        .selectFrom('audit')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(limit + 1)
      if (cursor) query = query.where('id', '<', cursor)
      return paged(await query.execute(), limit, (row) => row.id, toEntry)
    },

    async deleteOlderThan(before, limit) {
      const end = `aud_${idTime(before)}`
      const old = await db
        .selectFrom('audit')
        .select(['id', 'chain'])
        .where('id', '<', end)
        .orderBy('id')
        .limit(limit)
        .execute()
      const unchained = old.filter(({ chain }) => chain === null).map(({ id }) => id)
      if (unchained.length) await db.deleteFrom('audit').where('id', 'in', unchained).execute()
      let deleted = unchained.length
      for (const chain of new Set(old.flatMap((row) => row.chain ?? [])))
        deleted += await together.run(() => deleteFrom(chain, end, limit - deleted))
      return deleted
    },
  }
}
