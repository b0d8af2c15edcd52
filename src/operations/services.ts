// What the operations work with; built once, in app.ts.

import type { Engine } from '../engine/engine.ts'
import type { EnginePorts } from '../engine/engine-ports.ts'
import type { Ids } from '../engine/ids.ts'
import type { Hashing } from '../engine/run-scope.ts'
import type { StepKind } from '../engine/step-kind.ts'
import type { Surroundings } from '../flow/validate.ts'
import type { AccessServices } from './access/access-services.ts'
import type { UserView } from './access/sessions.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { Audit } from './audit.ts'
import type { BodyBudget } from './body-budget.ts'
import type { Events } from './events.ts'
import type { FlowActivity } from './flow-activity.ts'
import type { Intake } from './intake.ts'
import type { KeptRejections } from './kept-rejections.ts'
import type { KeyRotation } from './key-rotation.ts'
import type { LiveConnections } from './live-connections.ts'
import type { LoopWatch } from './loop-watch.ts'
import type { OAuthClient } from './oauth-client.ts'
import type { Scope } from './ports/access.ts'
import type { AuthorizationRequestStore, ConnectionStore } from './ports/connections.ts'
import type { DeliveryStore, SampleStore } from './ports/deliveries.ts'
import type { FlowSourceStore, FlowStore } from './ports/flows.ts'
import type { Queue } from './ports/queue.ts'
import type { RunStore } from './ports/runs.ts'
import type { Secrets } from './ports/secrets.ts'
import type { Signals } from './ports/signals.ts'
import type { Backups, Housekeeping } from './ports/upkeep.ts'
import type { PublishedFlows } from './published-flows.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Replies } from './replies.ts'

/** Counts for the metrics page. */
export interface Meters {
  delivery(outcome: string, code: string | null): void
  runFinished(status: string): void
}

export interface Services {
  flows: FlowStore
  flowSources: FlowSourceStore
  runs: RunStore
  deliveries: DeliveryStore
  samples: SampleStore
  housekeeping: Housekeeping
  /** null: the data is elsewhere, and so are its backups. */
  backups: Backups | null
  audit: Audit
  access: AccessServices
  secrets: Secrets
  connections: LiveConnections
  connectionStore: ConnectionStore
  authorizationRequests: AuthorizationRequestStore
  oauth: OAuthClient
  tokens: AccessTokens
  keyRotation: KeyRotation
  published: PublishedFlows
  engine: Engine
  enginePorts: EnginePorts
  queue: Queue
  signals: Signals
  replies: Replies
  events: Events
  meters: Meters
  activity: FlowActivity
  watch: LoopWatch
  rate: RateLimit
  intake: Intake
  bodies: BodyBudget
  rejections: KeptRejections
  kinds: ReadonlyMap<string, StepKind>
  surroundings(): Surroundings
  hashing: Hashing
  env: Readonly<Record<string, string>>
  ids: Ids
  now(): number
  baseUrl: string
  webhookBaseUrl: string
  maxBodyBytes: number
  maxQueue: number
  warn(message: string, details: Record<string, unknown>): void
}

/** What taking on a delivery needs of all this. */
export type DeliveryServices = Pick<
  Services,
  | 'activity'
  | 'connections'
  | 'deliveries'
  | 'env'
  | 'events'
  | 'flows'
  | 'hashing'
  | 'ids'
  | 'intake'
  | 'kinds'
  | 'maxBodyBytes'
  | 'maxQueue'
  | 'meters'
  | 'now'
  | 'published'
  | 'queue'
  | 'rate'
  | 'rejections'
  | 'replies'
  | 'runs'
  | 'samples'
  | 'secrets'
  | 'surroundings'
  | 'warn'
>

/** Who asks. */
export interface Actor {
  /** Of the user or token; null: the admin token. */
  id: string | null
  /** For lists and logs: an e-mail address, or what the token is called. */
  name: string
  scope: Scope
  /** Who stands behind it: the user, or whoever made the token; null: the installation itself. */
  userId: string | null
  /** Who is signed in; null for tokens. */
  user: UserView | null
}
