// The cookie that holds a session: no script can read it, and no other site's request carries it.
import type { FastifyReply } from 'fastify'
import { type FoundSession, renewSession } from '../../operations/access/sessions.ts'
import type { Services } from '../../operations/services.ts'

export interface SessionCookie {
  name: string
  /** Returns the session of a request; null: it has none, or several that differ. */
  read(header: string | undefined): string | null
  set(token: string, expiresAt: number): string
  clear(): string
}

/** A session in use lasts longer, and so does its cookie. */
export type KeepAlive = (reply: FastifyReply, session: FoundSession) => Promise<FoundSession>

export function createKeepAlive(services: Services, cookie: SessionCookie): KeepAlive {
  return async (reply, session) => {
    const renewed = await renewSession(services, session)
    const token = cookie.read(reply.request.headers.cookie)
    if (renewed !== session && token !== null) void reply.header('set-cookie', cookie.set(token, renewed.expiresAt))
    return renewed
  }
}

export function createSessionCookie(baseUrl: string): SessionCookie {
  const secure = baseUrl.startsWith('https:')
  // Browsers accept a cookie with this prefix only from this host over HTTPS: a sibling domain cannot set it.
  const name = secure ? '__Host-millrace_session' : 'millrace_session'
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    name,
    read(header) {
      const values = (header ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`))
        .map((pair) => pair.slice(name.length + 1))
      return values.length === 1 && values[0] !== '' ? values[0]! : null
    },
    set: (token, expiresAt) => `${name}=${token}; ${attributes}; Expires=${new Date(expiresAt).toUTCString()}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  }
}
