// Checks each request against the access table, before its body is read.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CODE } from '../../base/error-catalogue.ts'
import { scopeWords } from '../../base/scopes.ts'
import { refuse } from '../refuse.ts'
import { accessTo, accessWords, grants } from './access.ts'
import type { Authenticate } from './authenticate.ts'
import { crossSiteFault } from './cross-site.ts'
import type { KeepAlive, SessionCookie } from './session-cookie.ts'

export type Authorize = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>

export function createAuthorize(
  authenticate: Authenticate,
  keepAlive: KeepAlive,
  cookie: SessionCookie,
  baseUrl: string,
  refused: (request: FastifyRequest) => void,
): Authorize {
  return async (request, reply) => {
    const route = request.routeOptions.url
    if (route === undefined) return
    const needed = accessTo(request.method, route)
    const { headers } = request
    if (needed === 'open') {
      // Signing in and out are open, but another site must not make a browser do them.
      const byCookie = headers.authorization === undefined && cookie.read(headers.cookie) !== null
      const fault = crossSiteFault(request, baseUrl, byCookie)
      return fault === null ? undefined : refuse(reply, CODE.forbidden, fault)
    }
    void reply.header('cache-control', 'no-store')
    const caller = await authenticate(request.raw, true)
    if (!caller) {
      refused(request)
      void reply.header('www-authenticate', 'Bearer')
      return refuse(reply, CODE.unauthorized, 'Sign in, or send a token: Authorization: Bearer <token>.')
    }
    // MCP requires a check of the origin of every caller, against DNS rebinding.
    if (caller.session || needed === 'token') {
      const fault = crossSiteFault(request, baseUrl, caller.session !== null)
      if (fault !== null) return refuse(reply, CODE.forbidden, fault)
    }
    if (caller.session) await keepAlive(reply, caller.session)
    if (caller.session?.confined && needed !== 'confined')
      return refuse(reply, CODE.two_factor_setup_required, 'Your role needs a second factor: set one up first.')
    request.actor = caller.actor
    if (grants(caller.actor, needed)) return
    return refuse(
      reply,
      CODE.forbidden,
      REFUSALS[accessWords(needed)] ??
        `This needs the scope ${accessWords(needed)}; yours is ${scopeWords(caller.actor.scopes)}.`,
    )
  }
}

const REFUSALS: Record<string, string> = {
  session: 'This is for a signed-in user, not for a token.',
  confined: 'This is for a signed-in user, not for a token.',
  token: 'This is for an API token, not for a session.',
}
