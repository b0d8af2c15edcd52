// Finds every sealed value of the database, on PostgreSQL, to count it by key and to reseal it, in small parts.
import type { Resealed, SealedRows } from '../../operations/ports/upkeep.ts'
import { SEALED_COLUMNS, type SealedColumn } from '../rows/sealed-columns.ts'
import { resealDocument, SEALED_LITERAL } from '../rows/sealed-documents.ts'
import type { HotPool } from './database.ts'

/** Limits what one transaction reseals. */
const ROWS = 20
const FLOWS = 20

type Query = HotPool['query']
type Reseal = Parameters<SealedRows['resealSome']>[3]

interface Place {
  count(add: (keyId: string, count: number) => void): Promise<void>
  /** Must run inside a transaction. */
  resealSome(query: Query, keyId: string, after: string | null, reseal: Reseal): Promise<Resealed>
}

export function createPostgresSealedRows(hot: HotPool): SealedRows {
  const columns = SEALED_COLUMNS.map((column): [string, Place] => [column.table, sealedColumn(hot, column)])
  const places: Record<string, Place> = {
    ...Object.fromEntries(columns),
    flow: flowDocuments(hot),
    run_document: runDocuments(hot),
  }
  return {
    places: Object.keys(places),
    async count() {
      const counts = new Map<string, number>()
      for (const place of Object.values(places))
        await place.count((keyId, count) => counts.set(keyId, (counts.get(keyId) ?? 0) + count))
      return counts
    },
    resealSome: (place, keyId, after, reseal) =>
      hot.transaction((query) => places[place]!.resealSome(query, keyId, after, reseal)),
  }
}

/** Handles a column that holds one sealed text, or none. */
function sealedColumn(hot: HotPool, { table, keys, column: sealed, isSealed, bindingOf }: SealedColumn): Place {
  const keyId = `substr(${sealed}, 8, 8)`
  // The key is compared as text, because a cursor is stored as text.
  const key = keys.map((name) => (name === 'id' && table === 'vault_check' ? 'id::text' : name)).join(', ')
  const marks = (first: number) => keys.map((_, i) => `$${first + i}`).join(', ')
  const counts = `select ${keyId} as id, count(*) as n from ${table} where ${isSealed} group by ${keyId}`
  const select = (from: string) =>
    `select ${keys.map((name) => `${name}::text as "${name}"`).join(', ')}, ${sealed} as text from ${table}
     where ${isSealed} and ${keyId} = $1 ${from} order by ${key} limit ${ROWS} for update`
  const update = `update ${table} set ${sealed} = $1 where (${key}) = (${marks(2)})`

  return {
    async count(add) {
      for (const { id, n } of await hot.query<{ id: string; n: number }>({ text: counts, values: [] })) add(id, n)
    },
    async resealSome(query, id, after, reseal) {
      const cursor = after === null ? [] : (JSON.parse(after) as string[])
      const text = select(after === null ? '' : `and (${key}) > (${marks(2)})`)
      const rows = await query<Record<string, string>>({ text, values: [id, ...cursor] })
      let done = 0
      let last = after
      for (const row of rows) {
        const at = keys.map((name) => row[name]!)
        const resealed = reseal(row['text']!, bindingOf(...at))
        last = JSON.stringify(at)
        if (resealed === null) continue
        await query({ text: update, values: [resealed, ...at] })
        done++
      }
      return { after: rows.length < ROWS ? null : last, done, unreadable: rows.length - done }
    },
  }
}

/** Wraps `reseal` to count the values that are done and those that cannot be opened. */
function counting(reseal: Reseal, binding: string, tally: { done: number; unreadable: number }) {
  const known = new Map<string, string>()
  return (sealed: string): string => {
    const resealed = known.get(sealed) ?? reseal(sealed, binding)
    if (resealed === null) tally.unreadable++
    else tally.done++
    known.set(sealed, resealed ?? sealed)
    return resealed ?? sealed
  }
}

/** Handles drafts and versions, flow by flow, so that an unchanged draft still equals its version. */
function flowDocuments(hot: HotPool): Place {
  const FLOW_PAGE = `select id, draft from flow where id > $1 order by id limit ${FLOWS}`
  const VERSIONS = 'select flow_id, version, document from flow_version where flow_id = any($1::text[])'
  type Flow = { id: string; draft: string }
  type Version = { flow_id: string; version: number; document: string }
  return {
    async count(add) {
      for (let after = ''; ; ) {
        const page = await hot.query<Flow>({ text: FLOW_PAGE, values: [after] })
        const versions = await hot.query<Version>({ text: VERSIONS, values: [page.map(({ id }) => id)] })
        for (const text of [...page.map(({ draft }) => draft), ...versions.map(({ document }) => document)])
          for (const [, keyId] of text.matchAll(SEALED_LITERAL)) add(keyId!, 1)
        if (page.length < FLOWS) return
        after = page.at(-1)!.id
      }
    },
    async resealSome(query, keyId, after, reseal) {
      const page = await query<Flow>({ text: `${FLOW_PAGE} for update`, values: [after ?? ''] })
      const versions = await query<Version>({ text: VERSIONS, values: [page.map(({ id }) => id)] })
      const tally = { done: 0, unreadable: 0 }
      for (const { id, draft } of page) {
        const replaced = counting(reseal, `flow:${id}`, tally)
        const text = resealDocument(draft, keyId, replaced)
        if (text !== draft) await query({ text: 'update flow set draft = $1 where id = $2', values: [text, id] })
        for (const { version, document } of versions.filter(({ flow_id }) => flow_id === id)) {
          const resealed = resealDocument(document, keyId, replaced)
          if (resealed === document) continue
          const values = [resealed, id, version]
          await query({ text: 'update flow_version set document = $1 where flow_id = $2 and version = $3', values })
        }
      }
      return { after: page.length < FLOWS ? null : page.at(-1)!.id, ...tally }
    },
  }
}

/** Handles the documents of test runs, which carry their draft. */
function runDocuments(hot: HotPool): Place {
  const PAGE = `select id, flow_id, document from run where document is not null and id > $1 order by id limit ${ROWS}`
  type Run = { id: string; flow_id: string; document: string }
  return {
    async count(add) {
      for (let after = ''; ; ) {
        const page = await hot.query<Run>({ text: PAGE, values: [after] })
        for (const { document } of page) for (const [, keyId] of document.matchAll(SEALED_LITERAL)) add(keyId!, 1)
        if (page.length < ROWS) return
        after = page.at(-1)!.id
      }
    },
    async resealSome(query, keyId, after, reseal) {
      const page = await query<Run>({ text: `${PAGE} for update`, values: [after ?? ''] })
      const tally = { done: 0, unreadable: 0 }
      for (const { id, flow_id, document } of page) {
        const text = resealDocument(document, keyId, counting(reseal, `flow:${flow_id}`, tally))
        if (text !== document) await query({ text: 'update run set document = $1 where id = $2', values: [text, id] })
      }
      return { after: page.length < ROWS ? null : page.at(-1)!.id, ...tally }
    },
  }
}
