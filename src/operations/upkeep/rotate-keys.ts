import type { Actor } from '../ports/access.ts'
import type { KeysView } from './key-rotation.ts'
import type { UpkeepServices } from './services.ts'

/** Signs the audit log with the current key, and begins to reseal everything with it. `GET /keys` shows the progress. */
export async function rotateKeys({ keyRotation, audit, auditChains }: UpkeepServices, actor: Actor): Promise<KeysView> {
  const { current } = await keyRotation.view()
  await audit.record(actor, 'key.rotate', { kind: 'key', id: current, name: null })
  await auditChains.resign()
  keyRotation.start()
  return keyRotation.view()
}
