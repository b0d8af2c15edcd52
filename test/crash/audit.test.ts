// Kills the process while deeds are done: the chain of the audit log holds, and goes on, and no deed is without its entry.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import { callCli } from '../harness/cli.ts'
import { freePort } from '../harness/free-port.ts'
import { spawnMillrace, temporaryFolder } from '../harness/millrace.ts'

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const A_FLOW = { name: 'A flow', trigger: { kind: 'webhook' }, steps: [] }

/** Returns what a column holds, in order. */
function column(query: string): unknown[] {
  const db = new DatabaseSync(join(folder, 'millrace.db'), { readOnly: true })
  try {
    return db
      .prepare(query)
      .all()
      .map(({ value }) => value)
  } finally {
    db.close()
  }
}

it('keeps the chain whole over kill -9, and each replay with its entry', { timeout: 120_000 }, async () => {
  const port = await freePort()
  let acknowledged = 0
  let original: string | null = null
  for (let round = 0; round < 3; round++) {
    const millrace = await spawnMillrace(folder, port)
    original ??= (await (await millrace.publish(A_FLOW)).post({})).body.id as string
    const enough = Promise.withResolvers<void>()
    let done = 0
    const work = Array.from({ length: 8 }, async (_, at) => {
      for (;;) {
        const { status } =
          at % 2
            ? await millrace.api('POST', '/flows', A_FLOW)
            : await millrace.api('POST', `/runs/${original}/replay`, {})
        if (status === 201 || status === 202) acknowledged++
        if (++done === 40) enough.resolve()
      }
    })
    await enough.promise
    millrace.child.kill('SIGKILL')
    await Promise.allSettled(work)
    await millrace.exited
    const replays = column('SELECT id AS value FROM run WHERE replay_of IS NOT NULL ORDER BY id')
    expect(replays.length).toBeGreaterThan(0)
    expect(
      column(`SELECT json_extract(details, '$.run') AS value FROM audit WHERE action = 'run.replay' ORDER BY 1`),
    ).toEqual(replays)
    const result = await callCli(['audit', 'verify', '--json'], { env: { MILLRACE_DATA_DIR: folder } })
    expect(result.stderr).toBe('')
    expect(result.json().entries).toBeGreaterThanOrEqual(acknowledged)
  }
})
