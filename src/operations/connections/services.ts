import type { StepKind } from '../../engine/step-kind.ts'
import type { EventServices } from '../events/services.ts'
import type { AuthorizationRequestStore, ConnectionStore, OpenTls } from '../ports/connections.ts'
import type { FlowStore } from '../ports/flows.ts'
import type { OAuthClient } from '../ports/oauth-client.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { LiveConnections } from './live-connections.ts'

export interface ConnectionServices extends EventServices {
  connections: LiveConnections
  connectionStore: ConnectionStore
  authorizationRequests: AuthorizationRequestStore
  oauth: OAuthClient
  openTls: OpenTls
  tokens: AccessTokens
  /** The flows that may use connections. */
  flows: FlowStore
  kinds: ReadonlyMap<string, StepKind>
}
