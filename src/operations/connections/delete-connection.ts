import { notFound } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import { flowsUsing, refuseIfMissed } from './connection-uses.ts'
import { connectionTarget, findConnection } from './read-connections.ts'
import type { ConnectionServices } from './services.ts'

/** Deletes a connection. Throws if a published flow uses it; drafts do not count. */
export async function deleteConnection(services: ConnectionServices, actor: Actor, name: string): Promise<void> {
  findConnection(services, name)
  await services.connections.whileLeaving(name, async () => {
    refuseIfMissed(await flowsUsing(services, name), name, new Map())
    await services.audit.together(async () => {
      if (!(await services.connectionStore.remove(name))) throw notFound('connection', name)
      await services.audit.record(actor, 'connection.delete', connectionTarget(name))
    })
    await services.tokens.forget(name)
    services.connections.take(name)
  })
}
