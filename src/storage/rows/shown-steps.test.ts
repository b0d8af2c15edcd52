import { rmSync } from 'node:fs'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/harness/millrace.ts'
import { openSqlite, type SqliteStorage } from '../sqlite/database.ts'
import { shownSteps } from './shown-steps.ts'

let folder: string
let storage: SqliteStorage
beforeAll(async () => {
  folder = temporaryFolder()
  storage = await openSqlite(folder)
})
afterAll(async () => {
  await storage.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the steps of a run that is under way', () => {
  it('show what a step has that is recorded while they are being read', async () => {
    let reads = 0
    const recordMeanwhile: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (reads++ === 0)
          storage.raw.exec(`INSERT INTO step (run_id, path, id, kind, seq, status, attempt, started_at, outcome, output)
            VALUES ('run_1', 'late', 'late', 'set', 1, 'succeeded', 1, 0, 'done', '{"a":1}')`)
        return result
      },
    }
    const db = storage.kysely.withPlugin(recordMeanwhile)
    const [step] = await shownSteps(db.selectFrom('step').where('run_id', '=', 'run_1').orderBy('seq'), 1_000)
    expect(step).toMatchObject({ id: 'late', output: { a: 1 } })
    expect(step).not.toHaveProperty('omitted')
  })
})
