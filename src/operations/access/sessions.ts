// Sessions of signed-in users: they end a week after their last use, and with the password, the user or a sign-out.
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
  /** For the cookie; kept nowhere. */
  token: string
  user: UserView
  expiresAt: number
}

/** null: the user has gone, or has another password by now. */
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
  /** Its time can be put off until then; null: that was done not long ago. */
  renewableUntil: number | null
}

export async function findSession(services: AccessServices, token: string): Promise<FoundSession | null> {
  const found = await services.access.sessions.find(digestOf(token))
  const now = services.now()
  if (!found || found.session.expiresAt <= now) return null
  const { id, createdAt, expiresAt } = found.session
  const until = Math.min(now + IDLE_MS, createdAt + LONGEST_MS)
  // Once a day is enough, and spares a write with each request.
  const renewable = until - expiresAt > DAY_MS
  const user = userView(found.user)
  return {
    id,
    actor: { id: user.id, name: user.email, scope: SCOPE_OF[user.role], userId: user.id, user },
    expiresAt,
    renewableUntil: renewable ? until : null,
  }
}

/** For whoever can give the user a cookie that lives as long; the session as it is from now on. */
export async function renewSession(services: AccessServices, session: FoundSession): Promise<FoundSession> {
  const { id, renewableUntil } = session
  if (renewableUntil === null) return session
  await services.access.sessions.renew(id, renewableUntil)
  return { ...session, expiresAt: renewableUntil, renewableUntil: null }
}

/** Whoever watches something on the strength of it stops doing so. */
export function endWatching({ events, signals }: AccessServices, actorId: string): void {
  events.emit(actorTopic(actorId), { type: 'ended', data: null })
  signals.send({ topic: 'access_ended', actorId })
}
