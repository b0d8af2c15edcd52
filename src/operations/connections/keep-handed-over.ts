// Keeps a secret that a sender hands over in its handshake in the connection that the flow names.
import { isOutsideReference } from '../../base/outside-reference.ts'
import type { ConnectionRecord } from '../ports/connections.ts'
import { connectionTarget } from './read-connections.ts'
import type { ConnectionServices } from './services.ts'

const LONGEST_SECRET = 1_000

/** `known`: it has this value already; `other`: it has another one; `gone`: there is no such place for it. */
export type HandedOver = 'kept' | 'known' | 'other' | 'gone'

/** Never replaces a value: only a person can take back a secret that has arrived. */
export async function keepHandedOver(
  services: Pick<ConnectionServices, 'audit' | 'connections' | 'connectionStore' | 'now'>,
  name: string,
  field: string,
  value: string,
): Promise<HandedOver> {
  const current = services.connections.get(name)
  // A sender must not say where our secrets are.
  const isSecret = value.length <= LONGEST_SECRET && !isOutsideReference(value)
  if (current?.kind !== 'custom' || !isSecret || Object.hasOwn(current.outside, field)) return 'gone'
  const before = current.secrets?.[field]
  if (before !== undefined) return before === value ? 'known' : 'other'
  const record: ConnectionRecord = {
    ...current,
    secrets: { ...current.secrets, [field]: value },
    revision: current.revision + 1,
    updatedAt: services.now(),
  }
  const replaced = await services.audit.together(async () => {
    if (!(await services.connectionStore.replace(record))) return false
    const details = { kind: current.kind, fields: [field], by: 'handshake' }
    await services.audit.record({ id: null, name: 'handshake' }, 'connection.update', connectionTarget(name), details)
    return true
  })
  // Somebody changed the connection at the same moment: the sender tries again.
  if (!replaced) return 'gone'
  services.connections.put(record)
  return 'kept'
}
