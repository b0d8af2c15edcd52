// Finds every sealed value of the database, to count it by key and to seal it with another key, in small parts.
import type { SQLInputValue } from 'node:sqlite'
import type { Resealed, SealedRows } from '../../operations/ports/upkeep.ts'
import { SEALED_COLUMNS, type SealedColumn } from '../rows/sealed-columns.ts'
import { resealDocument, SEALED_LITERAL } from '../rows/sealed-documents.ts'
import type { SqliteStorage } from './database.ts'

/** The rows that one transaction reseals: this number, or a few of the largest. */
const ROWS = 20
const BYTES = 1_000_000
const FLOWS = 20

type Reseal = Parameters<SealedRows['resealSome']>[3]
type Row = Record<string, SQLInputValue>

interface Place {
  count(add: (keyId: string, count: number) => void): Promise<void>
  /** Must run inside a transaction. */
  resealSome(keyId: string, after: string | null, reseal: Reseal): Resealed
}

export function createSqliteSealedRows(storage: SqliteStorage): SealedRows {
  const columns = SEALED_COLUMNS.map((column): [string, Place] => [column.table, sealedColumn(storage, column)])
  const places: Record<string, Place> = {
    ...Object.fromEntries(columns),
    flow: flowDocuments(storage),
    run_document: runDocuments(storage),
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
      storage.commit.write(() => places[place]!.resealSome(keyId, after, reseal)),
  }
}

/** Handles a column that holds one sealed text, or none. */
function sealedColumn(
  { raw }: SqliteStorage,
  { table, keys, column: sealed, isSealed, bindingOf }: SealedColumn,
): Place {
  const keyId = `substr(${sealed}, 8, 8)`
  const key = keys.join(', ')
  const marks = keys.map(() => '?').join(', ')
  const counts = raw.prepare(`SELECT ${keyId} AS id, count(*) AS n FROM ${table} WHERE ${isSealed} GROUP BY ${keyId}`)
  const first = `SELECT ${key}, ${sealed} AS text FROM ${table} WHERE ${isSealed} AND ${keyId} = ?`
  const select = raw.prepare(`${first} ORDER BY ${key}`)
  const selectAfter = raw.prepare(`${first} AND (${key}) > (${marks}) ORDER BY ${key}`)
  const update = raw.prepare(`UPDATE ${table} SET ${sealed} = ? WHERE (${key}) = (${marks})`)

  return {
    async count(add) {
      for (const row of counts.all()) add(row['id'] as string, row['n'] as number)
    },
    resealSome(id, after, reseal) {
      const cursor = after === null ? null : (JSON.parse(after) as SQLInputValue[])
      // All rows are read before the first is written: a written row leaves the index that is being read.
      const { rows, more } = some(cursor ? selectAfter.iterate(id, ...cursor) : select.iterate(id))
      let done = 0
      let last = after
      for (const row of rows) {
        const place = keys.map((name) => row[name]!)
        const resealed = reseal(row['text'] as string, bindingOf(...(place as string[])))
        last = JSON.stringify(place)
        if (resealed === null) continue
        update.run(resealed, ...place)
        done++
      }
      return { after: more ? last : null, done, unreadable: rows.length - done }
    },
  }
}

function some(iterator: Iterable<unknown>): { rows: Row[]; more: boolean } {
  const rows: Row[] = []
  let bytes = 0
  for (const row of iterator as Iterable<Row>) {
    if (rows.length === ROWS || bytes > BYTES) return { rows, more: true }
    rows.push(row)
    bytes += (row['text'] as string).length
  }
  return { rows, more: false }
}

/** Handles drafts and versions, flow by flow, so that an unchanged draft still equals its version. */
function flowDocuments({ raw }: SqliteStorage): Place {
  const flows = raw.prepare('SELECT id, draft FROM flow WHERE id > ? ORDER BY id LIMIT ?')
  const versions = raw.prepare('SELECT version, document FROM flow_version WHERE flow_id = ?')
  const setDraft = raw.prepare('UPDATE flow SET draft = ? WHERE id = ?')
  const setDocument = raw.prepare('UPDATE flow_version SET document = ? WHERE flow_id = ? AND version = ?')

  return {
    async count(add) {
      for (let after = ''; ; ) {
        const page = flows.all(after, FLOWS)
        for (const { id, draft } of page) {
          const texts = [draft, ...versions.all(id!).map((version) => version['document'])] as string[]
          for (const text of texts) for (const [, keyId] of text.matchAll(SEALED_LITERAL)) add(keyId!, 1)
        }
        if (page.length < FLOWS) return
        after = page.at(-1)!['id'] as string
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    resealSome(keyId, after, reseal) {
      const page = flows.all(after ?? '', FLOWS)
      let done = 0
      let unreadable = 0
      for (const { id, draft } of page) {
        const known = new Map<string, string>()
        const replaced = (sealed: string): string => {
          const resealed = known.get(sealed) ?? reseal(sealed, `flow:${id as string}`)
          if (resealed === null) unreadable++
          else done++
          known.set(sealed, resealed ?? sealed)
          return resealed ?? sealed
        }
        const changed = (text: string, write: (text: string) => void): void => {
          const resealed = resealDocument(text, keyId, replaced)
          if (resealed !== text) write(resealed)
        }
        changed(draft as string, (text) => setDraft.run(text, id!))
        for (const { version, document } of versions.all(id!))
          changed(document as string, (text) => setDocument.run(text, id!, version!))
      }
      return { after: page.length < FLOWS ? null : (page.at(-1)!['id'] as string), done, unreadable }
    },
  }
}

/** Handles the documents of test runs, which carry their draft. */
function runDocuments({ raw }: SqliteStorage): Place {
  const select = raw.prepare(
    'SELECT id, flow_id, document FROM run WHERE document IS NOT NULL AND id > ? ORDER BY id LIMIT ?',
  )
  const update = raw.prepare('UPDATE run SET document = ? WHERE id = ?')
  return {
    async count(add) {
      for (let after = ''; ; ) {
        const page = select.all(after, ROWS)
        for (const { document } of page)
          for (const [, keyId] of (document as string).matchAll(SEALED_LITERAL)) add(keyId!, 1)
        if (page.length < ROWS) return
        after = page.at(-1)!['id'] as string
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    resealSome(keyId, after, reseal) {
      const page = select.all(after ?? '', ROWS)
      let done = 0
      let unreadable = 0
      for (const { id, flow_id, document } of page) {
        const text = resealDocument(document as string, keyId, (sealed) => {
          const resealed = reseal(sealed, `flow:${flow_id as string}`)
          if (resealed === null) unreadable++
          else done++
          return resealed ?? sealed
        })
        if (text !== document) update.run(text, id!)
      }
      return { after: page.length < ROWS ? null : (page.at(-1)!['id'] as string), done, unreadable }
    },
  }
}
