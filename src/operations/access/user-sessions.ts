// The sessions of a user: which there are, and how to end them.
import { notFound } from '../operation-error.ts'
import type { Actor, UserRecord, UserView } from '../ports/access.ts'
import { digestOf } from './secret-code.ts'
import type { AccessServices } from './services.ts'
import { endWatching } from './sessions.ts'

export interface SessionView {
  id: string
  /** Whether it is the session that asks. */
  current: boolean
  device: string | null
  address: string | null
  /** The name of the provider; null if it was opened with a password. */
  provider: string | null
  createdAt: string
  lastUsedAt: string
  expiresAt: string
}

/** `token`: the content of the cookie of the session that asks. */
export async function listSessions(services: AccessServices, user: UserView, token: string): Promise<SessionView[]> {
  const { sessions, sso } = services.access
  const current = digestOf(token)
  return (await sessions.listOf(user.id, services.now())).map((session) => ({
    id: session.id,
    current: session.id === current,
    device: session.device,
    address: session.address,
    provider: session.login && (sso.providers.find(({ issuer }) => issuer === session.login!.issuer)?.name ?? 'SSO'),
    createdAt: new Date(session.createdAt).toISOString(),
    lastUsedAt: new Date(session.usedAt).toISOString(),
    expiresAt: new Date(session.expiresAt).toISOString(),
  }))
}

export async function endSession(services: AccessServices, user: UserView, id: string): Promise<void> {
  await services.audit.together(async () => {
    if (!(await services.access.sessions.endOf(user.id, id))) throw notFound('session', id)
    await recordEnd(services, { id: user.id, name: user.email }, user, 1)
  })
  endWatching(services, user.id)
}

/** Ends all sessions of the user but the one that asks. Returns how many. */
export async function endOtherSessions(services: AccessServices, user: UserView, token: string): Promise<number> {
  const ended = await services.audit.together(async () => {
    const count = await services.access.sessions.endAllOf(user.id, digestOf(token))
    if (count > 0) await recordEnd(services, { id: user.id, name: user.email }, user, count)
    return count
  })
  endWatching(services, user.id)
  return ended
}

/** Ends all sessions of a user, for an owner. Returns how many. */
export async function endSessionsOf(services: AccessServices, actor: Actor, userId: string): Promise<number> {
  const user = await services.access.users.get(userId)
  if (!user) throw notFound('user', userId)
  const ended = await services.audit.together(async () => {
    const count = await services.access.sessions.endAllOf(userId, null)
    await recordEnd(services, actor, user, count)
    return count
  })
  endWatching(services, userId)
  return ended
}

const recordEnd = (
  services: AccessServices,
  actor: Pick<Actor, 'id' | 'name'>,
  user: UserView | UserRecord,
  sessions: number,
): Promise<void> =>
  services.audit.record(actor, 'user.sessions_end', { kind: 'user', id: user.id, name: user.email }, { sessions })
