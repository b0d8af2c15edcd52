// Words the reasons why there is no access token, each with what to do.

import { CODE, CONNECTION_ERRORS, filled } from '../../base/error-catalogue.ts'
import { ConnectionError } from '../../engine/ports/connections.ts'
import { UNUSABLE_KEY } from '../ports/oauth-client.ts'

export const NOT_CONNECTED = 'it is not connected yet'
export const NOT_THERE = 'there is no such connection that fetches access tokens, or its secrets cannot be read'
export const NOT_READABLE = 'there is no such connection, or its secrets cannot be read'
export const nothingToSend = (kind: string): string =>
  `its kind is ${kind}, so only a template can say where its fields go`
export const KEEPS_CHANGING = 'the connection is being changed'
export const NO_REFRESH_TOKEN = 'the access token has ended, and the authorization server gave none to refresh it with'

export function refusal(message: string, error: string, cutShort: boolean): string {
  if (error === UNUSABLE_KEY) return message
  if (error !== 'invalid_grant') return `the token endpoint refuses (${message}): check the settings of the connection`
  if (cutShort) return `a refresh was cut short by a crash, and the refresh token is spent (${message})`
  return `the authorization server does not accept the grant any more (${message})`
}

/** What helps where nobody has to agree: the service asks for the token by itself, with a secret or a key. */
export const BY_SETTINGS =
  'Correct its settings, its secret or its key, or what the provider knows of them. Millrace asks again at once after a change of the connection, and by itself within five minutes.'
/** What helps where the connection itself is missing or closed. */
export const BY_SAVING = 'Name a connection that there is, or save this one again with its secrets.'
/** What helps where the kind has no credential of its own. */
export const BY_TEMPLATE = 'Put its fields into the request with templates, or name a connection of another kind.'

/** `hint`: what to do; without one, to connect it again, which somebody has to agree to. */
export const unauthorized = (name: string, reason: string, hint?: string): ConnectionError =>
  new ConnectionError(
    CODE.connection_unauthorized,
    name,
    filled(CONNECTION_ERRORS.connection_unauthorized.message, { connection: name, why: reason }),
    hint ?? filled(CONNECTION_ERRORS.connection_unauthorized.hint, { connection: name }),
  )

export const unavailable = (name: string, reason: string): ConnectionError =>
  new ConnectionError(
    CODE.token_unavailable,
    name,
    filled(CONNECTION_ERRORS.token_unavailable.message, { connection: name, why: reason }),
    CONNECTION_ERRORS.token_unavailable.hint,
  )
