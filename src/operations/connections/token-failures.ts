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

export const unauthorized = (name: string, reason: string): ConnectionError =>
  new ConnectionError(
    CODE.connection_unauthorized,
    name,
    filled(CONNECTION_ERRORS.connection_unauthorized.message, { connection: name, why: reason }),
    filled(CONNECTION_ERRORS.connection_unauthorized.hint, { connection: name }),
  )

export const unavailable = (name: string, reason: string): ConnectionError =>
  new ConnectionError(
    CODE.token_unavailable,
    name,
    filled(CONNECTION_ERRORS.token_unavailable.message, { connection: name, why: reason }),
    CONNECTION_ERRORS.token_unavailable.hint,
  )
