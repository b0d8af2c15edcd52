import type { Actor } from '../ports/access.ts'
import type { KeysView } from './key-rotation.ts'
import type { UpkeepServices } from './services.ts'

/** Begins to reseal everything with the current key. `GET /keys` shows the progress. */
export async function rotateKeys({ keyRotation, audit }: UpkeepServices, actor: Actor): Promise<KeysView> {
  const { current } = await keyRotation.view()
  await audit.record(actor, 'key.rotate', { kind: 'key', id: current, name: null })
  keyRotation.start()
  return keyRotation.view()
}
