// Reads the chains of the audit log, and keeps how far each destination has got them.
import type { Kysely } from 'kysely'
import {
  type AuditChains,
  type AuditDestinations,
  anchorText,
  type ChainState,
  headText,
  type Signing,
} from '../../../operations/ports/audit-log/chain.ts'
import type { AuditChainTable, Tables } from '../../rows/tables.ts'
import { toStored } from './audit-store.ts'

const toState = (row: AuditChainTable): ChainState => ({
  id: row.id,
  seq: row.seq,
  hash: row.hash,
  signature: row.signature,
  anchor:
    row.anchor_seq === 0
      ? null
      : {
          seq: row.anchor_seq,
          hash: row.anchor_hash ?? '',
          at: row.anchor_at ?? 0,
          signature: row.anchor_signature ?? '',
        },
})

export function createAuditChains(db: Kysely<Tables>, signing: Signing): AuditChains {
  /** What is not rightly signed stays so: a rotation of keys must not heal it. */
  const again = (text: string, signature: string | null): string | null =>
    signature !== null && signing.isSigned(text, signature) ? signing.sign(text) : signature

  return {
    async all() {
      return (await db.selectFrom('audit_chain').selectAll().orderBy('id').execute()).map(toState)
    },

    async get(chain) {
      const row = await db.selectFrom('audit_chain').selectAll().where('id', '=', chain).executeTakeFirst()
      return row ? toState(row) : null
    },

    async unknown() {
      const rows = await db
        .selectFrom('audit')
        .select('chain')
        .distinct()
        .where('chain', 'is not', null)
        .where('chain', 'not in', (eb) => eb.selectFrom('audit_chain').select('id'))
        .orderBy('chain')
        .execute()
      return rows.flatMap(({ chain }) => chain ?? [])
    },

    async entries(chain, afterSeq, limit) {
      const rows = await db
        .selectFrom('audit')
        .selectAll()
        .where('chain', '=', chain)
        .where('seq', '>', afterSeq)
        .orderBy('seq')
        .limit(limit)
        .execute()
      return rows.map(toStored)
    },

    async unchained(afterId, limit) {
      const rows = await db
        .selectFrom('audit')
        .selectAll()
        .where('chain', 'is', null)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toStored)
    },

    async resign() {
      for (const { id } of await db.selectFrom('audit_chain').select('id').execute())
        await db.transaction().execute(async (tx) => {
          // Locks the row: a deed may sign it at this moment.
          const row = await tx
            .updateTable('audit_chain')
            .set((eb) => ({ seq: eb.ref('seq') }))
            .where('id', '=', id)
            .returningAll()
            .executeTakeFirst()
          if (!row) return
          const { anchor, ...head } = toState(row)
          await tx
            .updateTable('audit_chain')
            .set({
              signature: again(headText(head), head.signature),
              ...(anchor && { anchor_signature: again(anchorText(id, anchor), anchor.signature) }),
            })
            .where('id', '=', id)
            .execute()
        })
    },
  }
}

export function createAuditDestinations(db: Kysely<Tables>): AuditDestinations {
  return {
    claim: (destination, holder, now, untilMs) =>
      db.transaction().execute(async (tx) => {
        const { numInsertedOrUpdatedRows: isNew } = await tx
          .insertInto('audit_destination')
          .values({ id: destination, holder, held_until: untilMs })
          .onConflict((c) => c.column('id').doNothing())
          .executeTakeFirst()
        if (isNew) {
          await tx
            .insertInto('audit_cursor')
            .columns(['destination', 'chain', 'seq'])
            .expression((eb) =>
              eb.selectFrom('audit_chain').select((e) => [e.val(destination).as('destination'), 'id', 'seq']),
            )
            .execute()
          return true
        }
        const { numUpdatedRows } = await tx
          .updateTable('audit_destination')
          .set({ holder, held_until: untilMs })
          .where('id', '=', destination)
          .where((eb) => eb.or([eb('holder', '=', holder), eb('held_until', '<', now)]))
          .executeTakeFirst()
        return numUpdatedRows > 0n
      }),

    async release(destination, holder) {
      await db
        .updateTable('audit_destination')
        .set({ held_until: 0 })
        .where('id', '=', destination)
        .where('holder', '=', holder)
        .execute()
    },

    async behind(destination) {
      const rows = await db
        .selectFrom('audit_chain')
        .leftJoin('audit_cursor', (join) =>
          join.onRef('audit_cursor.chain', '=', 'audit_chain.id').on('audit_cursor.destination', '=', destination),
        )
        .select(['audit_chain.id', 'audit_chain.seq as end', 'audit_chain.anchor_seq', 'audit_cursor.seq'])
        .where((eb) => eb('audit_chain.seq', '>', eb.fn.coalesce('audit_cursor.seq', eb.val(0))))
        .orderBy('audit_chain.id')
        .execute()
      return rows.flatMap(({ id, end, anchor_seq, seq: cursor }) => {
        // What retention has deleted meanwhile is gone.
        const seq = Math.max(cursor ?? 0, anchor_seq)
        return end > seq ? [{ chain: id, seq, missing: end - seq }] : []
      })
    },

    async arrived(destination, chain, seq) {
      await db
        .insertInto('audit_cursor')
        .values({ destination, chain, seq })
        .onConflict((c) => c.columns(['destination', 'chain']).doUpdateSet({ seq }))
        .execute()
    },
  }
}
