// The tables for Kysely. Times are milliseconds, JSON is text, and booleans are 0 and 1, on both databases.

import type {
  ApiTokenTable,
  InvitationTable,
  LogoutTokenTable,
  RecoveryCodeTable,
  SecondFactorTable,
  SetUpTable,
  UserAccountTable,
  UserIdentityTable,
  UserRoleTable,
  UserSessionTable,
} from './access/access-tables.ts'
import type { AlertEventTable, AlertMessageTable, AlertStateTable, AlertTable } from './alerts/tables.ts'
import type { CallbackTables } from './callbacks/tables.ts'
import type { FailureDeltaTable, FailureTable, ReplayItemTable, ReplayJobTable } from './failures/tables.ts'
import type { FileTables } from './files/tables.ts'

export interface FlowTable {
  id: string
  name: string
  draft: string
  revision: number
  webhook_id: string
  slug: string | null
  version: number | null
  published_at: number | null
  created_at: number
  updated_at: number
  updated_by: string | null
  /** The kind of the live version's trigger. */
  trigger: string | null
  paused_at: number | null
  /** What the latest version says about it, as JSON; null if nothing. */
  retention: string | null
}

/** When a published flow runs next; see the port operations/ports/schedules.ts. */
export interface ScheduleTable {
  flow_id: string
  version: number
  settings: string
  next_at: number | null
  runs_at: number | null
  previous_at: number | null
  since: number
  missed: number
}

/** A planned time that has come. */
export interface OccurrenceTable {
  flow_id: string
  at: number
  /** Null if no run was started, because the run before was still under way. */
  run_id: string | null
}

export interface FlowVersionTable {
  flow_id: string
  version: number
  document: string
  published_at: number
  published_by: string
}

/** A run and the delivery that started it are one row: they commit together by construction. */
export interface RunTable {
  id: string
  flow_id: string
  version: number | null
  document: string | null
  status: string
  /** 1: a test run; 2: the failure handler of another run. */
  test: number
  epoch: number
  attempt: number
  hops: number
  reply_status: number | null
  request: string
  raw_body: Uint8Array
  error: string | null
  created_at: number
  started_at: number | null
  finished_at: number | null
  resume_at: number | null
  replay_of: string | null
  /** The true request, if `request` and `raw_body` hide secrets. */
  sealed: string | null
  /** How the run began, as JSON; null if a delivery started it. Then `raw_body` holds what it was given, as JSON. */
  trigger: string | null
  parent_run: string | null
  parent_step: string | null
  parent_waits: number | null
  /** The group of a failed run. */
  failure: string | null
  /** 1 if its webhook or results of its steps were changed for a replay. */
  edited: number | null
  /** As JSON, by name; null if the run has none. */
  labels: string | null
  /** 0 if the data of the run is to be deleted, 1 if it is deleted; null if it stays. */
  erased: number | null
}

/** The labels of runs, to find runs by them. */
export interface RunLabelTable {
  value: string
  name: string
  run_id: string
}

/** Says from which run on the index lacks labels; on the embedded database. */
export interface LateLabelTable {
  one: number
  since: string
}

/** Says up to which generation the runs of the log are in the tables; on the embedded database. */
export interface RunLogTable {
  one: number
  salt: number
  generation: number
}

export interface StepTable {
  run_id: string
  path: string
  id: string
  kind: string
  seq: number
  status: string
  attempt: number
  started_at: number
  finished_at: number | null
  outcome: string | null
  decision: string | null
  resume_at: number | null
  input: string | null
  output: string | null
  error: string | null
  logs: string | null
  /** The true decision, output and error, if the columns hide secrets. */
  sealed: string | null
  /** As JSON; null if the step was not tried again. */
  attempts: string | null
}

/** Deliveries that started no run: rejected, filtered and duplicate ones. */
export interface DeliveryTable {
  id: string
  flow_id: string
  outcome: string
  code: string | null
  message: string | null
  status: number | null
  run_id: string | null
  request: string
  raw_body: Uint8Array
  received_at: number
  /** 1 if the body of a rejected delivery is kept. */
  body_kept: number | null
  /** The true request, if the body is kept and `request` and `raw_body` hide secrets. */
  sealed: string | null
  /** The type of the event; that of a delivery that started a run is a label of the run. */
  event: string | null
}

export interface DedupeTable {
  flow_id: string
  key: string
  run_id: string
  expires_at: number
}

export interface SampleTable {
  id: string
  flow_id: string
  request: string
  raw_body: Uint8Array
  received_at: number
}

export interface StepResultTable {
  flow_id: string
  step_id: string
  output: string
  at: number
}

export interface VaultCheckTable {
  id: number
  sealed: string
  /** Ids separated by commas. */
  key_ids: string | null
}

export interface KeyValueTable {
  flow_id: string
  key: string
  value: string
  expires_at: number | null
}

/** Besides these columns there are those of COUNT_COLUMNS. The id of no flow counts all flows together. */
export interface FlowMinuteTable {
  flow_id: string
  minute: number
}

export interface FlowHourTable {
  flow_id: string
  hour: number
  started: number
  failed: number
}

export interface FlowErrorTable {
  flow_id: string
  hour: number
  code: string
  runs: number
}

/** What was counted and is not added up yet. */
export interface FlowDeltaTable {
  flow_id: string
  minute: number
  counter: string
  bucket: number
  code: string
  count: number
}

/** The file that a flow was applied from. */
export interface FlowSourceTable {
  flow_id: string
  source: string
  path: string
  revision: number
}

export interface AuditTable {
  id: string
  at: number
  actor: string
  actor_id: string | null
  action: string
  target_kind: string | null
  target_id: string | null
  target_name: string | null
  details: string
  chain: string | null
  seq: number | null
  prev: string | null
  hash: string | null
}

export interface AuditChainTable {
  id: string
  seq: number
  hash: string | null
  signature: string | null
  anchor_seq: number
  anchor_hash: string | null
  anchor_at: number | null
  anchor_signature: string | null
}

export interface AuditDestinationTable {
  id: string
  holder: string | null
  held_until: number
}

export interface AuditCursorTable {
  destination: string
  chain: string
  seq: number
}

export interface ConnectionTable {
  name: string
  kind: string
  fields: string
  /** The secret fields, as JSON. */
  sealed: string
  hosts: string
  /** The flows and the tags that it is for, as JSON; null: all. */
  only_for: string | null
  revision: number
  created_at: number
  updated_at: number
  /** null since the last change. */
  tested_at: number | null
  test_verdict: string | null
}

export interface ConnectionGrantTable {
  connection: string
  version: number
  state: string
  reason: string | null
  /** The access token and refresh token, as JSON. */
  sealed: string | null
  obtained_at: number
  expires_at: number | null
  refreshing_since: number | null
}

export interface AuthorizationRequestTable {
  id: string
  connection: string
  revision: number
  actor_id: string | null
  actor_name: string
  browser: string | null
  /** The PKCE verifier. */
  sealed: string
  expires_at: number
}

export interface SettingTable {
  name: string
  value: string
}

export interface Tables extends CallbackTables, FileTables {
  setting: SettingTable
  alert: AlertTable
  alert_event: AlertEventTable
  alert_state: AlertStateTable
  alert_message: AlertMessageTable
  set_up: SetUpTable
  user_account: UserAccountTable
  user_session: UserSessionTable
  user_identity: UserIdentityTable
  logout_token: LogoutTokenTable
  second_factor: SecondFactorTable
  recovery_code: RecoveryCodeTable
  invitation: InvitationTable
  api_token: ApiTokenTable
  user_role: UserRoleTable
  connection_grant: ConnectionGrantTable
  authorization_request: AuthorizationRequestTable
  audit: AuditTable
  audit_chain: AuditChainTable
  audit_destination: AuditDestinationTable
  audit_cursor: AuditCursorTable
  flow_minute: FlowMinuteTable
  flow_hour: FlowHourTable
  flow_error: FlowErrorTable
  flow_delta: FlowDeltaTable
  failure: FailureTable
  failure_delta: FailureDeltaTable
  replay_job: ReplayJobTable
  replay_item: ReplayItemTable
  flow_source: FlowSourceTable
  connection: ConnectionTable
  key_value: KeyValueTable
  flow: FlowTable
  flow_version: FlowVersionTable
  schedule: ScheduleTable
  occurrence: OccurrenceTable
  run: RunTable
  run_label: RunLabelTable
  late_label: LateLabelTable
  run_log: RunLogTable
  step: StepTable
  delivery: DeliveryTable
  dedupe: DedupeTable
  sample: SampleTable
  step_result: StepResultTable
  vault_check: VaultCheckTable
}
