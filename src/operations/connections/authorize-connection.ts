// Authorizes a connection by OAuth authorization code: sends the user's browser to the server, and accepts it back once.

import { CODE } from '../../base/error-catalogue.ts'
import { ConnectionError } from '../../engine/ports/connections.ts'
import { OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { AuthorizationRequest } from '../ports/connections.ts'
import { LONGEST_QUOTE, TokenRefused, TokenUnavailable } from '../ports/oauth-client.ts'
import { keepTest } from './keep-test.ts'
import { settingsOf } from './oauth-settings.ts'
import { connectionTarget, findConnection } from './read-connections.ts'
import type { ConnectionServices } from './services.ts'

export const AUTHORIZATION_MS = 600_000

export interface BegunAuthorization {
  url: string
  /** The cookie that the browser has to send when it returns; null if no browser asked. */
  browser: { name: string; secret: string } | null
}

export async function beginAuthorization(
  services: ConnectionServices,
  actor: Actor,
  name: string,
  byBrowser: boolean,
): Promise<BegunAuthorization> {
  const connection = findConnection(services, name)
  if (connection.kind !== 'oauth2' || connection.fields['grant'] !== 'authorization_code')
    throw new OperationError(
      CODE.invalid_request,
      `The connection "${name}" needs nobody's consent: only OAuth connections with the grant authorization_code do.`,
    )
  const state = services.ids.webhookId()
  const secret = byBrowser ? services.ids.webhookId() : null
  const { url, verifier } = await services.oauth.begin(settingsOf(connection), redirectUri(services), state)
  const id = services.hashing.sha256(state)
  const now = services.now()
  await services.authorizationRequests.add(
    {
      id,
      connection: name,
      revision: connection.revision,
      actor: { id: actor.id, name: actor.name },
      browser: secret && services.hashing.sha256(secret),
      verifier,
      expiresAt: now + AUTHORIZATION_MS,
    },
    now,
  )
  return { url, browser: secret === null ? null : { name: cookieOf(id), secret } }
}

export interface FinishedAuthorization {
  connection: string | null
  /** null if the connection is authorized. */
  problem: string | null
}

export interface Callback {
  state?: string | undefined
  code?: string | undefined
  error?: string | undefined
  errorDescription?: string | undefined
  /** Returns the browser's cookie of that name. */
  cookie(name: string): string | undefined
}

/** Finishes an authorization. Each attempt uses up the request, even if it fails. */
export async function finishAuthorization(
  services: ConnectionServices,
  callback: Callback,
): Promise<FinishedAuthorization> {
  if (!callback.state) return { connection: null, problem: 'The state is missing: begin again at the connection.' }
  const request = await services.authorizationRequests.take(services.hashing.sha256(callback.state))
  if (!request)
    return { connection: null, problem: 'The state is not known or was used before: begin again at the connection.' }
  const { connection, actor } = request
  const record = (details: { problem?: string }) =>
    services.audit.record(actor, 'connection.authorize', connectionTarget(connection), details)
  const problem =
    refusal(services, callback, request) ?? (await exchange(services, callback, request, () => record({})))
  if (problem !== null) await record({ problem })
  return { connection, problem }
}

const CHANGED = 'The connection was changed or deleted meanwhile: begin again.'

const isUnchanged = ({ connections }: ConnectionServices, { connection, revision }: AuthorizationRequest): boolean =>
  connections.get(connection)?.revision === revision

function refusal(services: ConnectionServices, callback: Callback, request: AuthorizationRequest): string | null {
  if (services.now() >= request.expiresAt) return 'It took longer than 10 minutes: begin again at the connection.'
  const shown = callback.cookie(cookieOf(request.id)) ?? ''
  if (request.browser !== null && services.hashing.sha256(shown) !== request.browser)
    return 'It was begun in another browser: begin again at the connection, in this one.'
  if (!isUnchanged(services, request)) return CHANGED
  if (callback.error !== undefined) {
    const description = callback.errorDescription ? `: ${callback.errorDescription}` : ''
    // The text comes from the caller: masking parts of it would confirm a guessed secret.
    return `The authorization server says ${callback.error}${description}`.slice(0, LONGEST_QUOTE)
  }
  return callback.code ? null : 'The authorization server sent no code: begin again at the connection.'
}

async function exchange(
  services: ConnectionServices,
  { code }: Callback,
  request: AuthorizationRequest,
  record: () => Promise<void>,
): Promise<string | null> {
  const connection = services.connections.get(request.connection)!
  try {
    const settings = settingsOf((await services.connections.whole(request.connection)) ?? connection)
    const tokens = await services.oauth.exchange(settings, redirectUri(services), code!, request.verifier)
    // A grant to one client is useless to another.
    if (!isUnchanged(services, request)) return CHANGED
    await record()
    await services.tokens.connect(connection.name, tokens)
    // It was of the former consent.
    if (connection.lastTest) await keepTest(services, connection, null)
    return null
  } catch (error) {
    if (error instanceof TokenRefused || error instanceof TokenUnavailable || error instanceof ConnectionError)
      return services.secrets.redact(`The authorization server gave no token: ${error.message}`).slice(0, LONGEST_QUOTE)
    throw error
  }
}

const redirectUri = ({ baseUrl }: ConnectionServices): string => `${baseUrl}/api/v1/oauth/callback`

/** Returns a cookie name for each request, so that one browser can have several under way. */
const cookieOf = (id: string): string => `millrace_oauth_${id.slice(0, 16)}`
