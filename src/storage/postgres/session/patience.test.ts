// Tests how long a process waits for a database session that takes too long to open: longer while it starts.
import { expect, it } from 'vitest'
import { StorageUnavailable } from '../../../engine/ports/storage-unavailable.ts'
import { openBehindProxy } from '../behind-proxy.testkit.ts'
import type { PostgresStorage } from '../database.ts'

const one = { text: 'select 1 as n', values: [] }
const WAYS: [string, (storage: PostgresStorage) => Promise<unknown>][] = [
  ['of the hot path', ({ hot }) => hot.query(one)],
  ['of the API', ({ kysely }) => kysely.selectFrom('set_up').selectAll().execute()],
  ['outside of the pools', async ({ connect }) => (await connect()).end()],
]

/** The first message of a session names its database. */
const opensSession = (message: Buffer) => message.includes('database\0')

it.concurrent.each(WAYS)('opens a session %s again while it starts', { timeout: 30_000 }, async (_name, ask) => {
  const { proxy, storage, close } = await openBehindProxy(20_000)
  const kept = proxy.keepReplyTo(opensSession)
  await Promise.all([kept, ask(storage)])
  await close()
})

it.concurrent.each(WAYS)('says that a session %s took too long later', { timeout: 30_000 }, async (_name, ask) => {
  const { proxy, storage, close } = await openBehindProxy(0)
  const kept = proxy.keepReplyTo(opensSession)
  const asked = expect(ask(storage)).rejects.toBeInstanceOf(StorageUnavailable)
  await Promise.all([kept, asked])
  await close()
})
