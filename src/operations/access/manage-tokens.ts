import { CODE } from '../../base/error-catalogue.ts'
import { type FlowLimit, limitOf } from '../../base/flow-limit.ts'
import { inOrder, reaches, type Scopes, type ScopeUnion, scopeWords, UNIONS, unionOf } from '../../base/scopes.ts'
import { notFound, OperationError } from '../operation-error.ts'
import type { Actor, TokenRecord } from '../ports/access.ts'
import type { Page, Paged } from '../ports/page.ts'
import { PREFIX } from './api-tokens.ts'
import { digestOf, newSecret } from './secret-code.ts'
import type { AccessServices } from './services.ts'
import { takeEffect } from './sessions.ts'

export const actorOfToken = ({ id, name, scopes, limit, userId }: TokenRecord): Actor => ({
  id,
  name: `token ${name}`,
  scopes,
  limit,
  userId,
  user: null,
})

export interface TokenView {
  id: string
  name: string
  /** The name that stands for exactly these scopes. */
  scope: ScopeUnion | null
  scopes: Scopes
  /** The ids of the flows and the tags that it is limited to; both null: it is not. */
  flows: readonly string[] | null
  tags: readonly string[] | null
  createdAt: string
  createdBy: string
  expiresAt: string | null
  lastUsedAt: string | null
  lastAddress: string | null
}

const isoOrNull = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())

const tokenView = (token: TokenRecord): TokenView => ({
  id: token.id,
  name: token.name,
  scope: unionOf(token.scopes),
  scopes: token.scopes,
  flows: token.limit?.flows ?? null,
  tags: token.limit?.tags ?? null,
  createdAt: new Date(token.createdAt).toISOString(),
  createdBy: token.createdBy,
  expiresAt: isoOrNull(token.expiresAt),
  lastUsedAt: isoOrNull(token.lastUsedAt),
  lastAddress: token.lastAddress,
})

export async function listTokens(services: AccessServices, page: Page): Promise<Paged<TokenView>> {
  await services.access.tokens.catchUp()
  const { items, nextCursor } = services.access.tokens.list(page)
  return { items: items.map(tokenView), nextCursor }
}

export interface NewToken {
  name: string
  scope?: ScopeUnion | undefined
  scopes?: Scopes | undefined
  /** The time as milliseconds. */
  expiresAt: number | null
  flows?: readonly string[] | undefined
  tags?: readonly string[] | undefined
}

/** Creates a token. The token itself is shown only once. */
export async function createToken(
  services: AccessServices,
  actor: Actor,
  given: NewToken,
): Promise<TokenView & { token: string }> {
  const scopes = scopesOf(given)
  const limit = tokenLimit(given, scopes)
  requireWithin(services, actor, scopes, given.expiresAt)
  const token = PREFIX + newSecret()
  const record: TokenRecord = {
    id: services.ids.next('tok'),
    digest: digestOf(token),
    name: given.name,
    scopes,
    createdAt: services.now(),
    createdBy: actor.name,
    userId: actor.userId,
    madeBy: actor.user === null ? actor.id : null,
    expiresAt: given.expiresAt,
    limit,
    lastUsedAt: null,
    lastAddress: null,
  }
  await services.audit.together(async () => {
    if (!(await services.access.tokens.add(record)))
      throw new OperationError(CODE.forbidden, 'Your role was changed meanwhile.')
    const details = { scope: scopeWords(scopes), ...limit }
    await services.audit.record(actor, 'token.create', { kind: 'token', id: record.id, name: record.name }, details)
  })
  return { ...tokenView(record), token }
}

function scopesOf({ scope, scopes }: NewToken): Scopes {
  if ((scope === undefined) === (scopes === undefined))
    throw new OperationError(CODE.invalid_request, 'Give either scopes or scope, which stands for several scopes.')
  return scope === undefined ? inOrder(scopes!) : UNIONS[scope]
}

function tokenLimit({ flows = [], tags = [] }: NewToken, scopes: Scopes): FlowLimit | null {
  const limit = limitOf(flows, tags)
  if (limit && scopes.includes('admin'))
    throw new OperationError(
      CODE.invalid_request,
      'A token that is limited to flows or tags cannot have the scope admin, which is not about flows.',
    )
  return limit
}

/** Nobody makes a token that may do more, or for longer, than its maker. */
function requireWithin(services: AccessServices, actor: Actor, scopes: Scopes, expiresAt: number | null): void {
  if (!reaches(actor.scopes, scopes))
    throw new OperationError(
      CODE.forbidden,
      `You cannot make a token with the scope ${scopeWords(scopes)}: yours is ${scopeWords(actor.scopes)}.`,
    )
  if (expiresAt !== null && expiresAt <= services.now())
    throw new OperationError(CODE.invalid_request, 'expiresAt has passed already.')
  const until = actor.user === null && actor.id !== null ? services.access.tokens.byId(actor.id)?.expiresAt : null
  if (until != null && (expiresAt === null || expiresAt > until))
    throw new OperationError(
      CODE.forbidden,
      `You cannot make a token that outlives yours: give an expiresAt up to ${new Date(until).toISOString()}.`,
    )
}

/** Revokes a token, and those that it made. */
export async function revokeToken(services: AccessServices, actor: Actor, id: string): Promise<void> {
  await services.audit.together(async () => {
    const revoked = await services.access.tokens.remove(id)
    if (!revoked) throw notFound('token', id)
    await services.audit.record(actor, 'token.revoke', { kind: 'token', id, name: revoked.name })
  })
  await takeEffect(services, [id])
}
