// What the database knows of files. The row comes before the first byte and goes after the last, so that no byte is without a row;
// a file is deleted only after a transaction that found no use of it.
import { type Kysely, sql } from 'kysely'
import { NoSuchFile, type StoredFile } from '../../engine/ports/files.ts'
import { alone, isTaken, locked } from '../rows/dialect.ts'
import type { FileTable } from '../rows/files/tables.ts'
import type { Tables } from '../rows/tables.ts'

/** How long a file stays that nobody uses, after the last sign of life of its process. */
export const GRACE_MS = 600_000
const ONLY_ROW = 1
const CONTENT = { table: 'file', column: 'sha256', index: 'file_content' }
/** The tables of owners, by the beginning of their ids. */
const OWNERS = { run: 'run', smp: 'sample', flow: 'flow' } as const

export interface Finished extends StoredFile {
  at: number
}

/** Lets the owner, which is stored in the same transaction, use files. Throws NoSuchFile if one of them is not there. */
export async function useFiles(tx: Kysely<Tables>, owner: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const wanted = [...new Set(ids)].toSorted()
  const there = await locked(
    tx,
    tx.selectFrom('file').select('id').where('id', 'in', wanted).where('state', '=', 'stored').orderBy('id'),
  ).execute()
  if (there.length < wanted.length) throw new NoSuchFile('A file is not there any more.')
  await tx
    .insertInto('file_use')
    .values(wanted.map((file_id) => ({ owner, file_id })))
    .onConflict((c) => c.doNothing())
    .execute()
}

/** Deletes the uses of an owner that stays, but whose data goes. */
export async function dropUses(tx: Kysely<Tables>, owners: readonly string[]): Promise<void> {
  if (owners.length === 0) return
  const uses = tx
    .selectFrom('file_use')
    .select(['file_id', sql<number>`0`.as('at')])
    .where('owner', 'in', owners)
  await tx.insertInto('file_look').columns(['file_id', 'at']).expression(uses).execute()
  await tx.deleteFrom('file_use').where('owner', 'in', owners).execute()
}

/** Returns whether the owner is there, and keeps it there until the transaction ends. */
async function holdOwner(tx: Kysely<Tables>, owner: string): Promise<boolean> {
  const table = OWNERS[owner.slice(0, owner.indexOf('_')) as keyof typeof OWNERS]
  if (!table) return false
  const found = locked(tx, tx.selectFrom(table).select('id').where('id', '=', owner))
  return (await found.executeTakeFirst()) !== undefined
}

async function count(tx: Kysely<Tables>, files: number, bytes: number): Promise<void> {
  await tx
    .insertInto('file_total')
    .values({ id: ONLY_ROW, files, bytes })
    .onConflict((c) =>
      c.column('id').doUpdateSet({
        files: sql`file_total.files + ${files}`,
        bytes: sql`file_total.bytes + ${bytes}`,
      }),
    )
    .execute()
}

export type FileRows = ReturnType<typeof createFileRows>

export function createFileRows(db: Kysely<Tables>) {
  /** Marks those of the files that nobody uses. They are locked, so that a use that is under way is seen. */
  const markUnused = async (tx: Kysely<Tables>, ids: readonly string[]): Promise<Pick<FileTable, 'id' | 'place'>[]> => {
    if (ids.length === 0) return []
    const marked = await tx
      .updateTable('file')
      .set({ state: 'deleting' })
      .where('id', 'in', ids)
      .where('state', '=', 'stored')
      .where((eb) => eb.not(eb.exists(eb.selectFrom('file_use').select('owner').whereRef('file_id', '=', 'file.id'))))
      .returning(['id', 'size', 'place'])
      .execute()
    if (marked.length) await count(tx, -marked.length, -marked.reduce((sum, { size }) => sum + size!, 0))
    return marked
  }

  /** Finishes a file, or returns the one that has the same content already. Null if the file was given up meanwhile. */
  const finish = (file: Finished): Promise<Finished | null> =>
    db.transaction().execute(async (tx) => {
      const { id, sha256, size, at } = file
      const same = await tx
        .updateTable('file')
        .set({ at: sql`case when at >= ${at} then at + 1 else ${at} end` })
        .where('sha256', '=', sha256)
        .where('size', '=', size)
        .where('state', '=', 'stored')
        .returning(['id', 'at'])
        .executeTakeFirst()
      const own = tx.updateTable('file').where('id', '=', id).where('state', '=', 'incoming')
      if (same) {
        await own.set({ state: 'deleting' }).execute()
        return { id: same.id, sha256, size, at: same.at }
      }
      const done = await own.set({ state: 'stored', sha256, size, at }).executeTakeFirst()
      if (Number(done.numUpdatedRows) === 0) return null
      await tx
        .insertInto('file_look')
        .values({ file_id: id, at: at + GRACE_MS })
        .execute()
      await count(tx, 1, size)
      return file
    })

  /** The uses of a file but those by runs whose data goes: from the end of such a run on, nobody is shown it. */
  const shownUses = db
    .selectFrom('file_use')
    .select('owner')
    .where('file_id', '=', sql<string>`file.id`)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('run').select('id').whereRef('run.id', '=', 'owner').where('erased', 'is not', null))),
    )

  return {
    async begin(row: Pick<FileTable, 'id' | 'place' | 'sealed_key' | 'at'>): Promise<void> {
      await db
        .insertInto('file')
        .values({ ...row, state: 'incoming' })
        .execute()
    },

    async finish(file: Finished): Promise<Finished | null> {
      for (;;) {
        try {
          return await finish(file)
        } catch (error) {
          // Another file with the same content was finished at the same moment: it is found now.
          if (!isTaken(error, CONTENT)) throw error
        }
      }
    },

    /** Gives up a file that is incoming. */
    async giveUp(id: string): Promise<void> {
      await db
        .updateTable('file')
        .set({ state: 'deleting' })
        .where('id', '=', id)
        .where('state', '=', 'incoming')
        .execute()
    },

    /** Gives up those of the files that nobody uses and that nobody has added again since. Returns them. */
    discard: (files: readonly Pick<Finished, 'id' | 'at'>[]): Promise<Pick<FileTable, 'id' | 'place'>[]> =>
      db.transaction().execute(async (tx) => {
        const ids = files.map(({ id }) => id)
        const rows = await locked(
          tx,
          tx.selectFrom('file').select(['id', 'at']).where('id', 'in', ids).orderBy('id'),
        ).execute()
        const known = new Map(files.map(({ id, at }) => [id, at]))
        return markUnused(
          tx,
          rows.filter(({ id, at }) => known.get(id) === at).map(({ id }) => id),
        )
      }),

    /** Gives a sign of life of files that this process has added or is adding. */
    async touch(ids: readonly string[], at: number): Promise<void> {
      await db.updateTable('file').set({ at }).where('id', 'in', ids).where('state', '<>', 'deleting').execute()
    },

    /** Returns those of the files that somebody uses. */
    async used(ids: readonly string[]): Promise<string[]> {
      const rows = await db.selectFrom('file_use').select('file_id').distinct().where('file_id', 'in', ids).execute()
      return rows.map(({ file_id }) => file_id)
    },

    /** Marks incoming files without a sign of life since `before`. */
    async markDead(before: number, limit: number): Promise<void> {
      const dead = db
        .selectFrom('file')
        .select('id')
        .where('state', '=', 'incoming')
        .where('at', '<', before)
        .orderBy('at')
        .limit(limit)
      await db
        .updateTable('file')
        .set({ state: 'deleting' })
        .where('id', 'in', dead)
        .where('state', '=', 'incoming')
        .where('at', '<', before)
        .execute()
    },

    /**
     * Looks at files that may be used by nobody from `until` on, marks those that are not and that had no sign of life since
     * `before`, and returns how many it looked at.
     */
    look: (until: number, before: number, limit: number): Promise<number> =>
      db.transaction().execute(async (tx) => {
        if (!(await alone(tx, 'files'))) return 0
        const due = await tx
          .selectFrom('file_look')
          .select('file_id')
          .where('at', '<=', until)
          .orderBy('at')
          .limit(limit)
          .execute()
        const ids = [...new Set(due.map(({ file_id }) => file_id))]
        if (ids.length === 0) return 0
        // The order matters: a use that ends after this leaves a new row, one that ended before is not found below.
        await tx.deleteFrom('file_look').where('file_id', 'in', ids).execute()
        const rows = await locked(
          tx,
          tx.selectFrom('file').select(['id', 'at']).where('id', 'in', ids).where('state', '=', 'stored').orderBy('id'),
        ).execute()
        const young = rows.filter(({ at }) => at >= before)
        await markUnused(
          tx,
          rows.filter(({ at }) => at < before).map(({ id }) => id),
        )
        if (young.length)
          await tx
            .insertInto('file_look')
            .values(young.map(({ id, at }) => ({ file_id: id, at: at + GRACE_MS })))
            .execute()
        return due.length
      }),

    deleting: (places: readonly string[], limit: number): Promise<Pick<FileTable, 'id' | 'place'>[]> =>
      db
        .selectFrom('file')
        .select(['id', 'place'])
        .where('state', '=', 'deleting')
        .where('place', 'in', places)
        .limit(limit)
        .execute(),

    async gone(id: string): Promise<void> {
      await db.deleteFrom('file').where('id', '=', id).where('state', '=', 'deleting').execute()
    },

    use: (owner: string, ids: readonly string[]): Promise<void> =>
      db.transaction().execute(async (tx) => {
        if (!(await holdOwner(tx, owner))) throw new NoSuchFile('What is to use the file is not there any more.')
        await useFiles(tx, owner, ids)
      }),

    async usedBy(owner: string, ids: readonly string[] | null): Promise<string[]> {
      if (ids?.length === 0) return []
      let uses = db.selectFrom('file_use').select('file_id').where('owner', '=', owner)
      if (ids) uses = uses.where('file_id', 'in', ids)
      return (await uses.execute()).map(({ file_id }) => file_id)
    },

    async find(id: string, owner: string | null): Promise<FileTable | null> {
      let found = db.selectFrom('file').selectAll('file').where('id', '=', id).where('state', '=', 'stored')
      if (owner !== null) found = found.innerJoin('file_use', 'file_id', 'file.id').where('owner', '=', owner)
      else found = found.where(({ exists }) => exists(shownUses))
      return (await found.executeTakeFirst()) ?? null
    },

    async total(): Promise<{ files: number; bytes: number }> {
      const row = await db.selectFrom('file_total').select(['files', 'bytes']).executeTakeFirst()
      return row ?? { files: 0, bytes: 0 }
    },
  }
}
