// Finds the caller by the token of the request, or else by the session of its cookie.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { actorOfToken } from '../../operations/access/manage-tokens.ts'
import { type FoundSession, findSession } from '../../operations/access/sessions.ts'
import type { Actor } from '../../operations/ports/access.ts'
import type { Services } from '../../operations/services.ts'
import { networkOf } from '../client-address.ts'
import type { SessionCookie } from './session-cookie.ts'

export interface Caller {
  actor: Actor
  /** The session of the cookie; null: the caller has a token. */
  session: FoundSession | null
}

/** Finds a session that is confined to setting up a second factor only if `evenConfined` is true. */
export type Authenticate = (headers: IncomingHttpHeaders, evenConfined?: boolean) => Promise<Caller | null>

/** Counts a token that is none, for the audit log. */
export function countRefused({ audit }: Services, { authorization }: IncomingHttpHeaders, address: string): void {
  if (authorization !== undefined) audit.count('token.refused', networkOf(address))
}

const digest = (text: string) => createHash('sha256').update(text).digest()

export function createAuthenticate(services: Services, cookie: SessionCookie, adminToken: string | null): Authenticate {
  const expected = adminToken === null ? null : digest(adminToken)
  const admin: Actor = { id: null, name: 'admin token', scope: 'admin', userId: null, user: null }
  return async ({ authorization, cookie: cookies }, evenConfined = false) => {
    if (authorization !== undefined) {
      const token = /^Bearer +(.+)$/i.exec(authorization)?.[1]
      if (!token) return null
      if (expected && timingSafeEqual(digest(token), expected)) return { actor: admin, session: null }
      const found = await services.access.tokens.findCurrent(token, services.now())
      return found && { actor: actorOfToken(found), session: null }
    }
    const token = cookie.read(cookies)
    const session = token && (await findSession(services, token))
    if (!session || (session.confined && !evenConfined)) return null
    return { actor: session.actor, session }
  }
}
