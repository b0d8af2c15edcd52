// Kills the service as soon as a run has ended whose data its flow does not keep: the next start deletes it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import { DATABASE_FILE } from '../../src/base/data-folder.ts'
import { freePort } from '../harness/free-port.ts'
import { spawnMillrace, temporaryFolder } from '../harness/millrace.ts'

const MAIL = 'ada@example.org'

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function stored(sql: string): string {
  const database = new DatabaseSync(join(folder, DATABASE_FILE), { readOnly: true })
  try {
    return JSON.stringify(database.prepare(sql).all())
  } finally {
    database.close()
  }
}

const everything = () =>
  stored('SELECT request, CAST(raw_body AS TEXT) AS body FROM run') + stored('SELECT input, output FROM step')

it('deletes after a crash what a run that had ended was to keep no longer', { timeout: 60_000 }, async () => {
  const port = await freePort()
  const first = await spawnMillrace(folder, port)
  const { post } = await first.publish({
    name: 'Private',
    retention: { keepBodies: false },
    trigger: { kind: 'webhook', response: { mode: 'finished', body: '{{ run.id }}' } },
    steps: [{ id: 'note', kind: 'set', vars: { mail: '{{ webhook.body.mail }}' } }],
  })
  const { body: id } = await post({ mail: MAIL })
  first.child.kill('SIGKILL')
  await first.exited
  expect(everything()).toContain(MAIL)
  const second = await spawnMillrace(folder, port)
  expect(await second.run(id)).toMatchObject({ status: 'succeeded', dataDeleted: true, webhook: null })
  await expect.poll(everything, { timeout: 30_000, interval: 200 }).not.toContain(MAIL)
  expect((await second.api('POST', `/runs/${id}/replay`)).body.code).toBe('run_data_deleted')
  second.child.kill()
  await second.exited
})
