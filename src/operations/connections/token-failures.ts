// Why there is no access token, in words that say what to do.
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
    'connection_unauthorized',
    name,
    `The connection "${name}" cannot be used: ${reason}`,
    `Connect it again: open its page, or POST /api/v1/connections/${name}/authorize and visit the URL.`,
  )

export const unavailable = (name: string, reason: string): ConnectionError =>
  new ConnectionError(
    'token_unavailable',
    name,
    `The access token of the connection "${name}" could not be fetched: ${reason}`,
    'The authorization server may be down or slow: add a retry to the step, or try again later.',
  )
