import type { ConnectionRecord, LastTest } from '../ports/connections.ts'
import type { ConnectionServices } from './services.ts'

/** Keeps what a test found out about a connection; null: nothing is known any more. Does nothing if it was changed since. */
export async function keepTest(
  { connections, connectionStore }: Pick<ConnectionServices, 'connections' | 'connectionStore'>,
  { name, revision }: ConnectionRecord,
  lastTest: LastTest | null,
): Promise<void> {
  if (!(await connectionStore.recordTest(name, revision, lastTest))) return
  const current = connections.get(name)
  if (current?.revision === revision) connections.put({ ...current, lastTest })
}
