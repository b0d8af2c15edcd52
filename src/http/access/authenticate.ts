// Finds the caller by the token of the request, or else by the session of its cookie.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { UNIONS } from '../../base/scopes.ts'
import { actorOfToken } from '../../operations/access/manage-tokens.ts'
import { type FoundSession, findSession } from '../../operations/access/sessions.ts'
import type { Actor } from '../../operations/ports/access.ts'
import type { Services } from '../../operations/services.ts'
import { type ClientAddress, networkOf } from '../client-address.ts'
import { addressOf } from './from.ts'
import type { SessionCookie } from './session-cookie.ts'

export interface Caller {
  actor: Actor
  /** The session of the cookie; null: the caller has a token. */
  session: FoundSession | null
}

/** Finds a session that is confined to setting up a second factor only if `evenConfined` is true. */
export type Authenticate = (request: IncomingMessage, evenConfined?: boolean) => Promise<Caller | null>

/** Counts a token that is none, for the audit log. */
export function countRefused({ audit }: Services, { authorization }: IncomingHttpHeaders, address: string): void {
  if (authorization !== undefined) audit.count('token.refused', networkOf(address))
}

const digest = (text: string) => createHash('sha256').update(text).digest()

export function createAuthenticate(
  services: Services,
  cookie: SessionCookie,
  clientAddress: ClientAddress,
  adminToken: string | null,
): Authenticate {
  const expected = adminToken === null ? null : digest(adminToken)
  const admin: Actor = { id: null, name: 'admin token', scopes: UNIONS.admin, limit: null, userId: null, user: null }
  return async (request, evenConfined = false) => {
    const { authorization, cookie: cookies } = request.headers
    if (authorization !== undefined) {
      const token = /^Bearer +(.+)$/i.exec(authorization)?.[1]
      if (!token) return null
      if (expected && timingSafeEqual(digest(token), expected)) return { actor: admin, session: null }
      const found = await services.access.tokens.findCurrent(token, services.now(), addressOf(request, clientAddress))
      return found && { actor: actorOfToken(found), session: null }
    }
    const token = cookie.read(cookies)
    const session = token && (await findSession(services, token))
    if (!session || (session.confined && !evenConfined)) return null
    return { actor: session.actor, session }
  }
}
