// Stores the file that a flow was applied from, and its revision.
import type { Kysely } from 'kysely'
import type { FlowSourceStore } from '../../operations/ports/flows.ts'
import { paged } from '../rows/paged.ts'
import type { Tables } from '../rows/tables.ts'

export function createFlowSourceStore(db: Kysely<Tables>): FlowSourceStore {
  return {
    async list(source, { limit, cursor }) {
      let query = db
        .selectFrom('flow_source')
        .selectAll()
        .orderBy('flow_id')
        .limit(limit + 1)
      if (source !== null) query = query.where('source', '=', source)
      if (cursor !== null) query = query.where('flow_id', '>', cursor)
      return paged(
        await query.execute(),
        limit,
        (row) => row.flow_id,
        ({ flow_id, ...row }) => ({ flowId: flow_id, ...row }),
      )
    },

    set: ({ flowId, source, path, revision }) =>
      db.transaction().execute(async (tx) => {
        // A file is the source of one flow only: the latest that was applied from it.
        await tx.deleteFrom('flow_source').where('source', '=', source).where('path', '=', path).execute()
        await tx
          .insertInto('flow_source')
          .values({ flow_id: flowId, source, path, revision })
          .onConflict((conflict) => conflict.column('flow_id').doUpdateSet({ source, path, revision }))
          .execute()
      }),
  }
}
