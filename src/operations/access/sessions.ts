// Sessions of signed-in users end a week after their last use, at sign-out, and with the user's password or account.
import { actorTopic } from '../events/events.ts'
import type { Actor, NewUser, UserRecord, UserView } from '../ports/access.ts'
import { SCOPE_OF } from './scopes.ts'
import { digestOf, newSecret } from './secret-code.ts'
import type { AccessServices } from './services.ts'

const DAY_MS = 86_400_000
const IDLE_MS = 7 * DAY_MS
const LONGEST_MS = 90 * DAY_MS

export const userView = ({ id, email, name, role }: UserRecord): UserView => ({ id, email, name, role })

export interface OpenSession {
  /** The content of the cookie. It is not stored. */
  token: string
  user: UserView
  expiresAt: number
}

/** Returns null if the user is gone or has another password by now. */
export async function openSession(services: AccessServices, user: NewUser): Promise<OpenSession | null> {
  const token = newSecret()
  const createdAt = services.now()
  const expiresAt = createdAt + IDLE_MS
  const session = { id: digestOf(token), userId: user.id, createdAt, expiresAt }
  if (!(await services.access.sessions.open(session, user.password))) return null
  return { token, user: userView(user), expiresAt }
}

export interface FoundSession {
  id: string
  actor: Actor & { user: UserView }
  expiresAt: number
  /** The time until which the session can be extended; null if it was extended recently. */
  renewableUntil: number | null
}

export async function findSession(services: AccessServices, token: string): Promise<FoundSession | null> {
  const found = await services.access.sessions.find(digestOf(token))
  const now = services.now()
  if (!found || found.session.expiresAt <= now) return null
  const { id, createdAt, expiresAt } = found.session
  const until = Math.min(now + IDLE_MS, createdAt + LONGEST_MS)
  // One extension a day is enough, and avoids a write at each request.
  const renewable = until - expiresAt > DAY_MS
  const user = userView(found.user)
  return {
    id,
    actor: { id: user.id, name: user.email, scope: SCOPE_OF[user.role], userId: user.id, user },
    expiresAt,
    renewableUntil: renewable ? until : null,
  }
}

/** Extends the session and returns it. Only for callers that can also extend the user's cookie. */
export async function renewSession(services: AccessServices, session: FoundSession): Promise<FoundSession> {
  const { id, renewableUntil } = session
  if (renewableUntil === null) return session
  await services.access.sessions.renew(id, renewableUntil)
  return { ...session, expiresAt: renewableUntil, renewableUntil: null }
}

/** Ends the event streams that were opened with this session, token or user. */
export function endWatching({ events, signals }: AccessServices, actorId: string): void {
  events.emit(actorTopic(actorId), { type: 'ended', data: null })
  signals.send({ topic: 'access_ended', actorId })
}
