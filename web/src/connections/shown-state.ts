import type { Connection, ConnectionState } from '../api/api-types.ts'

/** Credentials that are only stored may be wrong: until a test proves them they are not called ready. */
export function shownState({ kind, state, expiresAt, fields }: Connection): ConnectionState | 'stored' {
  const granted = kind === 'oauth2' && (expiresAt !== null || fields['grant'] !== 'client_credentials')
  return state === 'ready' && !granted ? 'stored' : state
}
