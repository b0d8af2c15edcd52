// Words the reasons why there is no access token, each with what to do.

import { CODE, CONNECTION_ERRORS, filled } from '../../base/error-catalogue.ts'
import { ConnectionError } from '../../engine/ports/connections.ts'

export const NOT_CONNECTED = 'it is not connected yet'
export const NOT_THERE = 'there is no such OAuth connection, or its secrets cannot be read'
export const KEEPS_CHANGING = 'the connection is being changed'
export const NO_REFRESH_TOKEN = 'the access token has ended, and the authorization server gave none to refresh it with'

export function refusal(message: string, gone: boolean, cutShort: boolean): string {
  if (!gone) return `the token endpoint refuses (${message}): check the settings of the connection`
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
