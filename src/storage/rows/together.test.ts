// Tests writes of several stores in one transaction, on both databases.
import { rmSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/harness/millrace.ts'
import { startDatabases } from '../../../test/harness/postgres.ts'
import type { Together } from '../../operations/ports/audit.ts'
import { openPostgres } from '../postgres/database.ts'
import { openSqlite } from '../sqlite/database.ts'
import type { Tables } from './tables.ts'

interface Opened {
  kysely: Kysely<Tables>
  together: Together
  stop(): Promise<void>
}

async function onSqlite(): Promise<Opened> {
  const folder = temporaryFolder()
  const { kysely, together, close } = await openSqlite(folder)
  const stop = async () => {
    await close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { kysely, together, stop }
}

async function onPostgres(): Promise<Opened> {
  const databases = await startDatabases()
  const { kysely, together, close } = await openPostgres(await databases.create())
  const stop = async () => {
    await close()
    await databases.stop()
  }
  return { kysely, together, stop }
}

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
])('what is done together on %s', (_name, open) => {
  let opened: Opened
  let kysely: Kysely<Tables>
  let together: Together
  beforeAll(async () => {
    opened = await open()
    ;({ kysely, together } = opened)
  })
  afterAll(() => opened.stop())
  beforeEach(async () => {
    await kysely.deleteFrom('dedupe').execute()
  })

  const add = (key: string, db = kysely) =>
    db.insertInto('dedupe').values({ flow_id: 'f', key, run_id: 'r', expires_at: 0 }).execute()
  const keys = async () =>
    (await kysely.selectFrom('dedupe').select('key').orderBy('key').execute()).map(({ key }) => key)
  const fails = async () => {
    throw new Error('no')
  }

  it('is there as a whole, and seen from inside before', async () => {
    await together.run(async () => {
      await add('a')
      expect(await keys()).toEqual(['a'])
      await kysely.transaction().execute((tx) => add('b', tx))
    })
    expect(await keys()).toEqual(['a', 'b'])
  })

  it('is gone as a whole, transactions that were part of it included, and leaves alone what others did meanwhile', async () => {
    const begun = Promise.withResolvers<void>()
    const inside = together.run(async () => {
      await add('a')
      await kysely.transaction().execute((tx) => add('b', tx))
      begun.resolve()
      await fails()
    })
    await begun.promise
    const outside = add('c')
    await expect(inside).rejects.toThrow('no')
    await outside
    expect(await keys()).toEqual(['c'])
  })

  it('survives a part of it that is given up', async () => {
    await together.run(async () => {
      await add('a')
      const part = kysely.transaction().execute(async (tx) => {
        await add('b', tx)
        await fails()
      })
      await expect(part).rejects.toThrow('no')
      await add('c')
    })
    expect(await keys()).toEqual(['a', 'c'])
  })

  it('has what waits for it done once it is committed, and not where it is given up', async () => {
    const seen: string[] = []
    await together.run(async () => {
      await together.after(() => void seen.push('after'))
      seen.push('inside')
    })
    await together
      .run(async () => {
        await together.after(() => void seen.push('never'))
        await fails()
      })
      .catch(() => {})
    await together.after(() => void seen.push('at once'))
    expect(seen).toEqual(['inside', 'after', 'at once'])
  })

  it('is not joined by what was begun in it and goes on after it', async () => {
    const over = Promise.withResolvers<void>()
    let late = Promise.resolve()
    await together.run(async () => {
      await add('a')
      late = over.promise.then(async () => void (await add('late')))
    })
    over.resolve()
    await late
    expect(await keys()).toEqual(['a', 'late'])
  })
})
