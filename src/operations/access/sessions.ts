// Sessions of signed-in users end a week after their last use, at sign-out, and with the user's password or account.
import { actorTopic } from '../events/events.ts'
import type { Actor, NewUser, SessionLogin, SessionRecord, UserRecord, UserView } from '../ports/access.ts'
import { deviceWords } from './device-words.ts'
import { digestOf, newSecret } from './secret-code.ts'
import type { AccessServices } from './services.ts'

const DAY_MS = 86_400_000
const IDLE_MS = 7 * DAY_MS
const LONGEST_MS = 90 * DAY_MS
const NOTE_USE_EVERY_MS = 60_000

export const userView = ({ id, email, name, role, scopes }: UserRecord): UserView => ({
  id,
  email,
  name,
  role,
  scopes,
})

/** Where a request comes from. */
export interface From {
  /** The network that attempts are counted by. */
  network: string
  address: string
  userAgent: string | null
}

export interface OpenSession {
  /** The content of the cookie. It is not stored. */
  token: string
  user: UserView
  expiresAt: number
}

/** Returns null if the user is gone or has another password by now. */
export async function openSession(services: AccessServices, user: NewUser, from: From): Promise<OpenSession | null> {
  const { token, session } = newSession(services, user, from, null)
  if (user.password === null || !(await services.access.sessions.open(session, user.password))) return null
  return { token, user: userView(user), expiresAt: session.expiresAt }
}

/** Returns null if the user is gone or has unlinked the identity by now. */
export async function openByLogin(
  services: AccessServices,
  user: UserRecord,
  login: SessionLogin,
  from: From,
): Promise<OpenSession | null> {
  const { token, session } = newSession(services, user, from, login)
  if (!(await services.access.sessions.openByLogin(session))) return null
  return { token, user: userView(user), expiresAt: session.expiresAt }
}

function newSession(
  services: AccessServices,
  user: UserRecord,
  { address, userAgent }: From,
  login: SessionLogin | null,
): { token: string; session: SessionRecord } {
  const token = newSecret()
  const createdAt = services.now()
  const session: SessionRecord = {
    id: digestOf(token),
    userId: user.id,
    createdAt,
    expiresAt: createdAt + IDLE_MS,
    device: deviceWords(userAgent),
    address,
    usedAt: createdAt,
    login,
  }
  return { token, session }
}

export interface FoundSession {
  id: string
  actor: Actor & { user: UserView }
  expiresAt: number
  /** The time until which the session can be extended; null if it was extended recently. */
  renewableUntil: number | null
  /** Whether its last use is to be noted. */
  unnoted: boolean
  /** Whether the user has to set up a second factor before anything else. */
  confined: boolean
}

export async function findSession(services: AccessServices, token: string): Promise<FoundSession | null> {
  const { access } = services
  const found = await access.sessions.find(digestOf(token))
  const now = services.now()
  if (!found || found.session.expiresAt <= now) return null
  const { id, createdAt, expiresAt, usedAt, login } = found.session
  if (access.sso.only && login === null && !isBreakGlass(found.user)) return null
  const until = Math.min(now + IDLE_MS, createdAt + LONGEST_MS)
  // One extension a day is enough, and avoids a write at each request.
  const renewable = until - expiresAt > DAY_MS
  const user = userView(found.user)
  return {
    id,
    actor: { id: user.id, name: user.email, scopes: user.scopes, limit: null, userId: user.id, user },
    expiresAt,
    renewableUntil: renewable ? until : null,
    unnoted: now - usedAt >= NOTE_USE_EVERY_MS,
    // Whoever comes by single sign-on shows a second factor to the provider.
    confined: login === null && !found.secondFactor && access.twoFactor.rule.isNeededBy(user.role),
  }
}

export const isBreakGlass = ({ breakGlass, role }: UserRecord): boolean => breakGlass && role === 'owner'

/** Extends the session and returns it. Only for callers that can also extend the user's cookie. */
export async function renewSession(services: AccessServices, session: FoundSession): Promise<FoundSession> {
  const { id, renewableUntil, unnoted } = session
  const { sessions } = services.access
  if (unnoted)
    sessions
      .used(id, services.now())
      .catch((error: Error) => services.warn("a session's last use could not be noted", { reason: error.message }))
  if (renewableUntil === null) return session
  await sessions.renew(id, renewableUntil)
  return { ...session, expiresAt: renewableUntil, renewableUntil: null }
}

/** Ends the event streams that were opened with this session, token or user. */
export function endWatching({ events, signals }: AccessServices, actorId: string): void {
  events.emit(actorTopic(actorId), { type: 'ended', data: null })
  signals.send({ topic: 'access_ended', actorId })
}

/** Ends what watches by the sessions of these users, and the access of tokens that were deleted with them or their roles. */
export async function takeEffect(services: AccessServices, userIds: readonly string[]): Promise<void> {
  const gone = await services.access.tokens.reload()
  for (const id of [...userIds, ...gone]) endWatching(services, id)
}
