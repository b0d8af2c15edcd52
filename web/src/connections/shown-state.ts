import type { Connection, ConnectionState, ConnectionTest } from '../api/api-types.ts'

const TESTED: Record<ConnectionTest['verdict'], 'ready' | 'failed' | 'unproven'> = {
  accepted: 'ready',
  refused: 'failed',
  unreachable: 'failed',
  unproven: 'unproven',
}

/** Credentials that are only stored may be wrong: until a test proves them they are not called ready. */
export function shownState({
  kind,
  state,
  expiresAt,
  fields,
  lastTest,
}: Connection): ConnectionState | 'stored' | 'failed' | 'unproven' {
  if (state !== 'ready') return state
  const granted =
    (kind === 'oauth2' && fields['grant'] !== 'client_credentials') ||
    (expiresAt !== null && (kind === 'oauth2' || fields['tokenUrl'] !== undefined))
  // A test that proves nothing does not outweigh the token that the service gave.
  if (granted && lastTest?.verdict === 'unproven') return 'ready'
  return lastTest ? TESTED[lastTest.verdict] : granted ? 'ready' : 'stored'
}
