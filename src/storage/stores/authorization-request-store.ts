// Stores the browsers that are on their way to an authorization server; each may come back once.
import type { Kysely } from 'kysely'
import type { AuthorizationRequestStore } from '../../operations/ports/connections.ts'
import type { Sealing } from '../../operations/ports/secrets.ts'
import { authorizationBinding } from '../rows/bindings.ts'
import type { Tables } from '../rows/tables.ts'

export function createAuthorizationRequestStore(db: Kysely<Tables>, sealing: Sealing): AuthorizationRequestStore {
  return {
    async add({ id, connection, revision, actor, browser, verifier, expiresAt }, now) {
      await db.deleteFrom('authorization_request').where('expires_at', '<=', now).execute()
      await db
        .insertInto('authorization_request')
        .values({
          id,
          connection,
          revision,
          actor_id: actor.id,
          actor_name: actor.name,
          browser,
          sealed: sealing.seal(verifier, authorizationBinding(id)),
          expires_at: expiresAt,
        })
        .execute()
    },

    async take(id) {
      const row = await db.deleteFrom('authorization_request').where('id', '=', id).returningAll().executeTakeFirst()
      const verifier = row ? sealing.unseal(row.sealed, authorizationBinding(id)) : null
      if (!row || verifier === null) return null
      return {
        id,
        connection: row.connection,
        revision: row.revision,
        actor: { id: row.actor_id, name: row.actor_name },
        browser: row.browser,
        verifier,
        expiresAt: row.expires_at,
      }
    },
  }
}
