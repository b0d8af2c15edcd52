// What the API answers, as the pages see it. Bodies that the contract describes are derived from it.

import type { Static } from 'typebox'
import type { Scope } from '../../../src/base/scopes.ts'
import type { AlertBody, AlertRequest as AlertRequestBody } from '../../../src/contract/alert-bodies.ts'
import type {
  AuditBody,
  ExampleBody,
  FlowBody,
  FlowStatsBody,
  InboxEntryBody,
  KeysBody,
  NamedDeliveryBody,
  PublishedBody,
  RunBody,
  RunSummaryBody,
  SampleBody,
  SettingsBody,
  StepKindBody,
  ValidationBody,
  VersionBody,
  VersionDocumentBody,
} from '../../../src/contract/bodies.ts'
import type { ConnectionTestBody } from '../../../src/contract/connection-bodies.ts'
import type { FailureBody, ReplayPreviewBody, ReplaysBody } from '../../../src/contract/failure-bodies.ts'
import type { FailureFlowBody } from '../../../src/contract/failure-flow-bodies.ts'
import type { CallableFlowBody } from '../../../src/contract/run-bodies.ts'
import type { SearchBody } from '../../../src/contract/search-bodies.ts'
import type { SenderBody, SenderWithSamplesBody, SentSampleBody } from '../../../src/contract/senders/sender-bodies.ts'
import type { StatsBody } from '../../../src/contract/stats-bodies.ts'
import type { StepTestBody, TestResultsBody } from '../../../src/contract/test-bodies.ts'
import type { ApprovalBody } from '../../../src/contract/waiting/callback-bodies.ts'
import type { FlowDocument as Document } from '../../../src/flow/document.ts'
import type { Issue } from '../../../src/flow/issue.ts'

export interface Page<T> {
  items: T[]
  nextCursor: string | null
}

/** The draft as it was saved: its shape is right, its content may be unfinished. */
export interface FlowDocument {
  name: string
  /** Markdown. */
  description?: string
  slug?: string
  notes?: Note[]
  tags?: string[]
  retention?: Retention
  trigger: { kind: string; [setting: string]: unknown }
  steps: StepDocument[]
  onFailure?: StepDocument[] | { flow: string }
}

export type Retention = NonNullable<Document['retention']>

export type Note = NonNullable<Document['notes']>[number]

export interface StepDocument {
  id: string
  kind: string
  name?: string
  [setting: string]: unknown
}

/** A flow as lists have it, without its draft. */
export type FlowSummary = Omit<Static<typeof FlowBody>, 'draft'>
export type Flow = FlowSummary & { draft: FlowDocument }
export type Published = Static<typeof PublishedBody>
export type Validation = Static<typeof ValidationBody>
export type Version = Static<typeof VersionBody>
export type VersionWithDocument = Omit<Static<typeof VersionDocumentBody>, 'document'> & { document: FlowDocument }
export type CallableFlow = Static<typeof CallableFlowBody>
export type FailureFlow = Static<typeof FailureFlowBody>
export type Sample = Static<typeof SampleBody>
export type Webhook = Sample['webhook']
export type StepTest = Static<typeof StepTestBody>
export type TestResults = Static<typeof TestResultsBody>
export type StepError = NonNullable<StepTest['error']>
export type { Issue }

export type RunSummary = Static<typeof RunSummaryBody>
export type RunStatus = RunSummary['status']
export type StepStatus = 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'
export type RunStep = Omit<Static<typeof RunBody>['steps'][number], 'status'> & { status: StepStatus }
export type Run = Omit<Static<typeof RunBody>, 'steps' | 'onFailure'> & {
  steps: RunStep[]
  onFailure: Handled | null
}
/** What is done because a run failed. */
type Handled = Omit<NonNullable<Static<typeof RunBody>['onFailure']>, 'steps'> & { steps: RunStep[] }
/** What a run waits for, or waited for, by a URL. */
export type RunCallback = NonNullable<Run['callbacks']>[number]
export type Approval = Static<typeof ApprovalBody>
export type Delivery = Static<typeof NamedDeliveryBody>
export type Found = Static<typeof SearchBody>
export type InboxEntry = Static<typeof InboxEntryBody>
export type DeliveryOutcome = Delivery['outcome']

export type Failure = Static<typeof FailureBody>
export type FailureState = Failure['state']
export type ReplayJob = Static<typeof ReplaysBody>
export type ReplayPreview = Static<typeof ReplayPreviewBody>

export type Stats = Static<typeof StatsBody>
export type FlowStats = Static<typeof FlowStatsBody>
export type Example = Omit<Static<typeof ExampleBody>, 'document'> & { document: FlowDocument }
export type StepKindInfo = Omit<Static<typeof StepKindBody>, 'settings'> & { settings: object }
export type ServiceSettings = Static<typeof SettingsBody>
export type AuditEntry = Static<typeof AuditBody>

export type Alert = Static<typeof AlertBody>
export type AlertRequest = Static<typeof AlertRequestBody>

export interface Role {
  name: string
  scopes: Scope[]
  builtIn: boolean
}

export interface User {
  id: string
  email: string
  name: string
  role: string
  scopes: Scope[]
}

export interface AuthState {
  /** True until an owner exists. */
  setup: boolean
  user: User | null
  /** The providers of single sign-on. */
  providers: { id: string; name: string }[]
  /** False if passwords are for break-glass owners only. */
  passwords: boolean
  /** True if the user has to set up a second factor before anything else. */
  twoFactorSetup: boolean
}

export interface ListedUser extends User {
  createdAt: string
  lastSignInAt: string | null
  twoFactor: boolean
  breakGlass: boolean
}

export interface Invitation {
  id: string
  email: string | null
  role: string
  createdAt: string
  expiresAt: string
}

export interface Token {
  id: string
  name: string
  scopes: Scope[]
  flows: string[] | null
  tags: string[] | null
  createdAt: string
  createdBy: string
  expiresAt: string | null
  lastUsedAt: string | null
  lastAddress: string | null
}

export type ConnectionKind = 'basic' | 'bearer' | 'apiKey' | 'digest' | 'oauth2' | 'jwt' | 'aws' | 'tls' | 'custom'
export type ConnectionState = 'ready' | 'unconnected' | 'reconnect'
export type ConnectionTest = Static<typeof ConnectionTestBody>

export interface Connection {
  name: string
  kind: ConnectionKind
  /** Without the secret ones, which never come back. */
  fields: Record<string, unknown>
  /** The secret fields that are set. */
  secretFields: string[]
  outside: Record<string, string>
  hosts: string[]
  /** The flows that it is for; both null: all. */
  flows: string[] | null
  tags: string[] | null
  state: ConnectionState
  reason: string | null
  expiresAt: string | null
  /** The client certificate. */
  certificate: { subject: string; expiresAt: string } | null
  usedBy: { id: string; name: string }[]
  createdAt: string
  updatedAt: string
  lastTest: { at: string; verdict: ConnectionTest['verdict'] } | null
}

export type KeysState = Omit<Static<typeof KeysBody>, 'rotation'> & {
  rotation: { status: 'idle' | 'running' | 'failed'; done: number; total: number; error: string | null }
}

/** A service whose webhooks are verified by its name. */
export type Sender = Static<typeof SenderBody>
export type SenderField = Sender['fields'][number]
export type SenderWithSamples = Static<typeof SenderWithSamplesBody>
export type SenderSample = SenderWithSamples['samples'][number]
/** What a flow's own webhook answered to a sample. */
export type SentSample = Static<typeof SentSampleBody>

/** What a stream of events carries. */
export interface ServerEvent {
  type: 'run' | 'step' | 'handled' | 'sample' | 'delivery' | 'replay'
  data: unknown
}
