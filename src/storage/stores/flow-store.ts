// Stores flows, their drafts and their immutable versions.
import { type Kysely, sql, type Transaction } from 'kysely'
import { CODE } from '../../base/error-catalogue.ts'
import { tagsOf } from '../../flow/document.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import {
  type FlowRecord,
  type FlowStore,
  type RouteRecord,
  SlugTaken,
  type VersionRecord,
} from '../../operations/ports/flows.ts'
import { isTaken, locked } from '../rows/dialect.ts'
import { paged, someOf } from '../rows/paged.ts'
import type { FlowTable, FlowVersionTable, Tables } from '../rows/tables.ts'
import { countCancelled, eraseCancelled, lockRuns, wakeRuns } from './cancelled-runs.ts'
import { putSchedule } from './schedule-store.ts'

const toFlow = (row: FlowTable): FlowRecord => ({
  id: row.id,
  name: row.name,
  draft: row.draft,
  revision: row.revision,
  webhookId: row.webhook_id,
  slug: row.slug,
  version: row.version,
  publishedAt: row.published_at,
  liveTrigger: row.trigger,
  pausedAt: row.paused_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  updatedBy: row.updated_by,
})

function throwTaken(error: unknown): never {
  throw isTaken(error, { table: 'flow', column: 'slug', index: 'flow_by_slug' }) ? new SlugTaken() : error
}

/** The pattern of texts that hold this one, taken literally. */
const holding = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

const toVersion = (row: FlowVersionTable): VersionRecord => ({
  version: row.version,
  publishedAt: row.published_at,
  publishedBy: row.published_by,
  document: row.document,
})

/** Returns what the document says about retention, as it is stored. */
function retentionIn(document: string): string | null {
  const { retention } = parseJson(document) as { retention?: unknown }
  return retention === undefined ? null : JSON.stringify(retention)
}

export function createFlowStore(db: Kysely<Tables>): FlowStore {
  const find = async (on: Kysely<Tables> | Transaction<Tables>, id: string) =>
    on.selectFrom('flow').selectAll().where('id', '=', id).executeTakeFirst()

  const routes = () => db.selectFrom('flow').select(['id', 'webhook_id', 'version', 'paused_at'])

  const update = async (id: string, change: Partial<FlowTable>): Promise<FlowRecord | null> => {
    const row = await db.updateTable('flow').set(change).where('id', '=', id).returningAll().executeTakeFirst()
    return row ? toFlow(row) : null
  }

  return {
    async create(flow) {
      await db
        .insertInto('flow')
        .values({
          id: flow.id,
          name: flow.name,
          draft: flow.draft,
          revision: flow.revision,
          webhook_id: flow.webhookId,
          slug: flow.slug,
          version: flow.version,
          published_at: flow.publishedAt,
          trigger: flow.liveTrigger,
          paused_at: flow.pausedAt,
          created_at: flow.createdAt,
          updated_at: flow.updatedAt,
          updated_by: flow.updatedBy,
        })
        .execute()
        .catch(throwTaken)
    },

    async get(id) {
      const row = await find(db, id)
      return row ? toFlow(row) : null
    },

    async idOfSlug(slug) {
      const row = await db.selectFrom('flow').select('id').where('slug', '=', slug).executeTakeFirst()
      return row?.id ?? null
    },

    async publishedWith(trigger) {
      const rows = await db
        .selectFrom('flow')
        .innerJoin('flow_version as live', (join) =>
          join.onRef('live.flow_id', '=', 'flow.id').onRef('live.version', '=', 'flow.version'),
        )
        .select(['flow.id', 'flow.name', 'flow.slug', 'live.document'])
        .where('flow.trigger', '=', trigger)
        .orderBy('flow.id')
        .execute()
      return rows
    },

    async list({ limit, cursor }, search = null, tag = null, among = null) {
      let query = db
        .selectFrom('flow')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(limit + 1)
      if (among) query = query.where('id', 'in', someOf(among))
      if (search) query = query.where(sql<boolean>`lower(name) like ${holding(search.toLowerCase())} escape '\\'`)
      if (tag === null) {
        const rows = await query.$if(cursor !== null, (all) => all.where('id', '<', cursor!)).execute()
        return paged(rows, limit, (row) => row.id, toFlow)
      }
      // The database finds the text anywhere in the draft; whether it is a tag is decided here.
      query = query.where(sql<boolean>`draft like ${holding(JSON.stringify(tag))} escape '\\'`)
      const found: FlowTable[] = []
      let after = cursor
      do {
        const from = after
        const rows = await query.$if(from !== null, (all) => all.where('id', '<', from!)).execute()
        found.push(...rows.filter(({ draft }) => tagsOf(parseJson(draft)).includes(tag)))
        after = rows.length > limit ? rows.at(-1)!.id : null
      } while (after !== null && found.length <= limit)
      return paged(found, limit, (row) => row.id, toFlow)
    },

    async idsWith(tags) {
      if (tags.length === 0) return []
      const rows = await db
        .selectFrom('flow')
        .select(['id', 'draft'])
        .where((eb) => eb.or(tags.map((tag) => sql<boolean>`draft like ${holding(JSON.stringify(tag))} escape '\\'`)))
        .execute()
      return rows.filter(({ draft }) => tagsOf(parseJson(draft)).some((tag) => tags.includes(tag))).map(({ id }) => id)
    },

    async names(ids) {
      if (ids.length === 0) return new Map()
      const rows = await db
        .selectFrom('flow')
        .select(['id', 'name'])
        .where('id', 'in', [...new Set(ids)])
        .execute()
      return new Map(rows.map(({ id, name }) => [id, name]))
    },

    async replaceDraft(id, { name, slug, draft, updatedAt, updatedBy, expectedRevision }) {
      let query = db
        .updateTable('flow')
        .set((eb) => ({
          name,
          slug,
          draft,
          updated_at: updatedAt,
          updated_by: updatedBy,
          revision: eb('revision', '+', 1),
        }))
        .where('id', '=', id)
      if (expectedRevision !== null) query = query.where('revision', '=', expectedRevision)
      const row = await query.returningAll().executeTakeFirst().catch(throwTaken)
      if (row) return toFlow(row)
      return (await find(db, id)) ? 'conflict' : null
    },

    publish: (id, { revision, document, publishedAt, publishedBy, trigger }) =>
      db.transaction().execute(async (tx) => {
        const flow = await locked(tx, tx.selectFrom('flow').selectAll().where('id', '=', id)).executeTakeFirst()
        if (!flow) return null
        if (flow.revision !== revision) return 'conflict'
        const latest = await tx
          .selectFrom('flow_version')
          .selectAll()
          .where('flow_id', '=', id)
          .orderBy('version', 'desc')
          .limit(1)
          .executeTakeFirst()
        let version = latest?.version ?? 0
        let liveSince = flow.published_at ?? publishedAt
        const published = document ?? flow.draft
        if (latest?.document !== published) {
          version += 1
          liveSince = publishedAt
          await tx
            .insertInto('flow_version')
            .values({
              flow_id: id,
              version,
              document: published,
              published_at: publishedAt,
              published_by: publishedBy,
            })
            .execute()
        }
        await putSchedule(tx, id, version, trigger.schedule)
        const row = await tx
          .updateTable('flow')
          .set({ version, published_at: liveSince, trigger: trigger.kind, retention: retentionIn(published) })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow()
        return toFlow(row)
      }),

    unpublish: (id, at) =>
      db.transaction().execute(async (tx) => {
        await putSchedule(tx, id, 0, null)
        const change = { version: null, published_at: null, trigger: null, updated_at: at }
        const row = await tx.updateTable('flow').set(change).where('id', '=', id).returningAll().executeTakeFirst()
        return row ? toFlow(row) : null
      }),

    setPaused: (id, paused, at) =>
      db.transaction().execute(async (tx) => {
        if (!paused) await tx.updateTable('schedule').set({ since: at }).where('flow_id', '=', id).execute()
        const row = await tx
          .updateTable('flow')
          .set((eb) => ({ paused_at: paused ? eb.fn.coalesce('paused_at', eb.val(at)) : null }))
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst()
        return row ? toFlow(row) : null
      }),

    setWebhookId: (id, webhookId, at) => update(id, { webhook_id: webhookId, updated_at: at }),

    remove: (id, at) =>
      db.transaction().execute(async (tx) => {
        if (!(await locked(tx, tx.selectFrom('flow').select('id').where('id', '=', id)).executeTakeFirst()))
          return false
        for (const table of [
          'flow_version',
          'delivery',
          'sample',
          'step_result',
          'dedupe',
          'key_value',
          'flow_source',
        ] as const)
          await tx.deleteFrom(table).where('flow_id', '=', id).execute()
        const waiting = await tx
          .selectFrom('run')
          .select('parent_run')
          .distinct()
          .where('flow_id', '=', id)
          .where('parent_waits', '=', 1)
          .where('status', 'in', ['queued', 'running', 'waiting'])
          .execute()
        const parents = waiting.map((row) => row.parent_run!)
        await lockRuns(tx, parents)
        const unfinished = tx
          .selectFrom('run')
          .select('id')
          .where('flow_id', '=', id)
          .where('status', 'in', ['queued', 'running', 'waiting'])
        await tx
          .updateTable('step')
          .set({ status: 'cancelled', finished_at: at, resume_at: null })
          .where('run_id', 'in', unfinished)
          .where('status', 'in', ['running', 'waiting'])
          .execute()
        const cancelled = await tx
          .updateTable('run')
          .set((eb) => ({
            status: 'cancelled',
            finished_at: at,
            resume_at: null,
            epoch: eb('epoch', '+', 1),
            error: JSON.stringify({ code: CODE.cancelled, message: 'The flow was deleted.' }),
          }))
          .where('flow_id', '=', id)
          .where('status', 'in', ['queued', 'running', 'waiting'])
          .returning(['id', 'flow_id', 'test'])
          .execute()
        // Before the flow is gone, which says whether their data stays.
        await eraseCancelled(tx, cancelled)
        await tx.deleteFrom('flow').where('id', '=', id).execute()
        const counted = cancelled.filter(({ test }) => test === 0).length
        if (counted) await countCancelled(tx, id, at, counted)
        await wakeRuns(tx, parents, at)
        return true
      }),

    async versions(id, { limit, cursor }) {
      let query = db
        .selectFrom('flow_version')
        .selectAll()
        .where('flow_id', '=', id)
        .orderBy('version', 'desc')
        .limit(limit + 1)
      if (cursor) query = query.where('version', '<', Number(cursor))
      return paged(await query.execute(), limit, (row) => String(row.version), toVersion)
    },

    async version(id, version) {
      const row = await db
        .selectFrom('flow_version')
        .selectAll()
        .where('flow_id', '=', id)
        .where('version', '=', version)
        .executeTakeFirst()
      return row ? toVersion(row) : null
    },

    async holding(text) {
      const holds = `%${text}%`
      return db
        .selectFrom('flow')
        .leftJoin('flow_version as live', (join) =>
          join
            .onRef('live.flow_id', '=', 'flow.id')
            .onRef('live.version', '=', 'flow.version')
            .on('live.document', 'like', holds),
        )
        .select(['flow.id', 'flow.name', 'flow.draft', 'live.document as live'])
        .where((eb) => eb.or([eb('flow.draft', 'like', holds), eb('live.document', 'is not', null)]))
        .orderBy('flow.id')
        .execute()
    },

    async sealedDocuments(flowId) {
      const holds = '%"sealed:%'
      const drafts = db
        .selectFrom('flow')
        .select(['id as flowId', 'draft as document'])
        .where('draft', 'like', holds)
        .$if(flowId !== undefined, (query) => query.where('id', '=', flowId!))
      const versions = db
        .selectFrom('flow_version')
        .select(['flow_id as flowId', 'document'])
        .where('document', 'like', holds)
        .$if(flowId !== undefined, (query) => query.where('flow_id', '=', flowId!))
      return drafts.unionAll(versions).execute()
    },

    async routes() {
      return (await routes().execute()).map(toRoute)
    },

    async routesAt(webhookIds) {
      return (await routes().where('webhook_id', 'in', webhookIds).execute()).map(toRoute)
    },

    async routeOf(flowId) {
      const row = await routes().where('id', '=', flowId).executeTakeFirst()
      return row ? toRoute(row) : null
    },
  }
}

const toRoute = (row: Pick<FlowTable, 'id' | 'webhook_id' | 'version' | 'paused_at'>): RouteRecord => ({
  webhookId: row.webhook_id,
  flowId: row.id,
  version: row.version,
  paused: row.paused_at !== null,
})
