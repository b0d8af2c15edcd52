import { CODE } from '../../base/error-catalogue.ts'
import { notFound, OperationError } from '../operation-error.ts'
import type { Actor, Scope, TokenRecord } from '../ports/access.ts'
import type { Page, Paged } from '../ports/page.ts'
import { PREFIX } from './api-tokens.ts'
import { reaches } from './scopes.ts'
import { digestOf, newSecret } from './secret-code.ts'
import type { AccessServices } from './services.ts'
import { endWatching } from './sessions.ts'

export const actorOfToken = ({ id, name, scope, userId }: TokenRecord): Actor => ({
  id,
  name: `token ${name}`,
  scope,
  userId,
  user: null,
})

export interface TokenView {
  id: string
  name: string
  scope: Scope
  createdAt: string
  createdBy: string
  lastUsedAt: string | null
}

const tokenView = ({ id, name, scope, createdAt, createdBy, lastUsedAt }: TokenRecord): TokenView => ({
  id,
  name,
  scope,
  createdAt: new Date(createdAt).toISOString(),
  createdBy,
  lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
})

export async function listTokens(services: AccessServices, page: Page): Promise<Paged<TokenView>> {
  await services.access.tokens.catchUp()
  const { items, nextCursor } = services.access.tokens.list(page)
  return { items: items.map(tokenView), nextCursor }
}

/** Creates a token. The token itself is shown only once. */
export async function createToken(
  services: AccessServices,
  actor: Actor,
  { name, scope }: { name: string; scope: Scope },
): Promise<TokenView & { token: string }> {
  if (!reaches(actor.scope, scope))
    throw new OperationError(
      CODE.forbidden,
      `You cannot make a token with the scope ${scope}: yours is ${actor.scope}.`,
    )
  const token = PREFIX + newSecret()
  const record: TokenRecord = {
    id: services.ids.next('tok'),
    digest: digestOf(token),
    name,
    scope,
    createdAt: services.now(),
    createdBy: actor.name,
    userId: actor.userId,
    lastUsedAt: null,
  }
  await services.audit.together(async () => {
    if (!(await services.access.tokens.add(record)))
      throw new OperationError(CODE.forbidden, 'Your role was changed meanwhile.')
    await services.audit.record(actor, 'token.create', { kind: 'token', id: record.id, name }, { scope })
  })
  return { ...tokenView(record), token }
}

export async function revokeToken(services: AccessServices, actor: Actor, id: string): Promise<void> {
  await services.audit.together(async () => {
    const revoked = await services.access.tokens.remove(id)
    if (!revoked) throw notFound('token', id)
    await services.audit.record(actor, 'token.revoke', { kind: 'token', id, name: revoked.name })
  })
  endWatching(services, id)
}
