// The ports of the operations: where flows, deliveries, samples and runs are kept, and what runs them.

import type { Claim, ClaimedRun, JournalEntry, NewRun, RunError, RunStatus } from '../engine/run-store.ts'
import type { KeyValueOperation, StepError } from '../engine/step-kind.ts'
import type { WebhookData } from '../engine/webhook-data.ts'
import type { ConnectionKind } from './connection-kinds.ts'

export interface Page {
  limit: number
  cursor: string | null
}

export interface Paged<T> {
  items: T[]
  nextCursor: string | null
}

export interface FlowRecord {
  id: string
  name: string
  /** The draft document as JSON text. */
  draft: string
  revision: number
  webhookId: string
  /** The version that is live, if any. */
  version: number | null
  publishedAt: number | null
  createdAt: number
  updatedAt: number
}

export interface VersionRecord {
  version: number
  publishedAt: number
  publishedBy: string
  /** JSON text; never changes. */
  document: string
}

/** Which flow answers at a webhook id, and with which version. */
export interface RouteRecord {
  webhookId: string
  flowId: string
  version: number | null
}

export interface FlowStore {
  create(flow: FlowRecord): Promise<void>
  get(id: string): Promise<FlowRecord | null>
  /** `search` is a part of the name, whatever its letters' case. */
  list(page: Page, search?: string | null): Promise<Paged<FlowRecord>>
  /** By id; flows that are gone have none. */
  names(ids: readonly string[]): Promise<Map<string, string>>
  /** 'conflict': the draft is no longer at the expected revision. */
  replaceDraft(
    id: string,
    change: { name: string; draft: string; updatedAt: number; expectedRevision: number | null },
  ): Promise<FlowRecord | 'conflict' | null>
  /** Makes the draft of `revision` the live version; an unchanged document keeps its number. */
  publish(
    id: string,
    by: { revision: number; publishedAt: number; publishedBy: string },
  ): Promise<FlowRecord | 'conflict' | null>
  unpublish(id: string, at: number): Promise<FlowRecord | null>
  setWebhookId(id: string, webhookId: string, at: number): Promise<FlowRecord | null>
  /** Removes the flow with its versions, samples and deliveries, and cancels its unfinished runs. */
  remove(id: string, at: number): Promise<boolean>
  /** Where these webhook ids lead. */
  routesAt(webhookIds: readonly string[]): Promise<RouteRecord[]>
  routeOf(flowId: string): Promise<RouteRecord | null>
  versions(id: string, page: Page): Promise<Paged<VersionRecord>>
  version(id: string, version: number): Promise<VersionRecord | null>
  routes(): Promise<RouteRecord[]>
  /** Every flow whose draft or live version has this text in it; `live` is null where there is none, or not with the text. */
  holding(text: string): Promise<{ id: string; name: string; draft: string; live: string | null }[]>
  /** Every draft and version, of all flows or of one, that may hold sealed secrets. */
  sealedDocuments(flowId?: string): Promise<{ flowId: string; document: string }[]>
}

export interface ConnectionRecord {
  name: string
  kind: ConnectionKind
  /** What may be seen of it. */
  fields: Record<string, unknown>
  /** null: what is stored cannot be opened. */
  secrets: Record<string, string> | null
  /** Where its secrets may be sent; empty: anywhere. */
  hosts: string[]
  /** Raised by each change. */
  revision: number
  createdAt: number
  updatedAt: number
}

export interface ConnectionStore {
  all(): Promise<ConnectionRecord[]>
  /** false: the name is taken. */
  create(connection: ConnectionRecord): Promise<boolean>
  /** false: it is gone, or no longer at the revision before this one. */
  replace(connection: ConnectionRecord): Promise<boolean>
  remove(name: string): Promise<boolean>
}

export interface Tokens {
  accessToken: string
  refreshToken: string | null
}

/** What an OAuth connection was granted. */
export interface GrantRecord {
  connection: string
  /** Raised by each change; a write that expects an older one changes nothing. */
  version: number
  state: 'ready' | 'reconnect'
  /** Why it has to be connected again. */
  reason: string | null
  tokens: Tokens | null
  obtainedAt: number
  /** null: it is not known when the access token ends. */
  expiresAt: number | null
  /** A refresh was begun and its result is not here: its refresh token may be spent. */
  refreshingSince: number | null
}

export interface GrantStore {
  all(): Promise<GrantRecord[]>
  get(connection: string): Promise<GrantRecord | null>
  /** Only where the version before this one stands, or none at version 1; false: nothing was written. */
  put(grant: GrantRecord): Promise<boolean>
  remove(connection: string): Promise<void>
}

/** A browser that was sent to an authorization server, and has to come back. */
export interface AuthorizationRequest {
  /** The digest of its `state`. */
  id: string
  connection: string
  /** Of the connection as it was then. */
  revision: number
  /** Who asked for it. */
  actor: { id: string | null; name: string }
  /** The digest of what the browser has to show; null where no browser asked. */
  browser: string | null
  /** For PKCE. */
  verifier: string
  expiresAt: number
}

export interface AuthorizationRequestStore {
  /** Removes those that have expired. */
  add(request: AuthorizationRequest, now: number): Promise<void>
  /** The request, which can be taken once. */
  take(id: string): Promise<AuthorizationRequest | null>
}

/** Seals texts for the places that they are bound to. */
export interface Sealing {
  seal(plain: string, binding: string): string
  /** null: it was sealed for another place or with a key that is not known, or it was changed. */
  unseal(sealed: string, binding: string): string | null
}

/** The file that a flow was applied from. */
export interface FlowSource {
  flowId: string
  /** Which folder of files, by name. */
  source: string
  path: string
  /** Of the draft, as it was applied. */
  revision: number
}

export interface FlowSourceStore {
  list(source: string | null, page: Page): Promise<Paged<FlowSource>>
  set(source: FlowSource): Promise<void>
}

export type DeliveryOutcome = 'accepted' | 'duplicate' | 'filtered' | 'rejected'

/** `bodyOmitted`: the body is larger than what was asked for, and was not read. */
export type ShownWebhook = WebhookData & { bodyOmitted?: true }

/** `omitted`: these are larger than what was asked for, and were not read. */
export type ShownEntry = JournalEntry & { omitted?: StepPart[] }

export type StepPart = 'input' | 'output' | 'logs'

export interface DeliveryRecord {
  id: string
  flowId: string
  receivedAt: number
  outcome: DeliveryOutcome
  code: string | null
  message: string | null
  /** What the caller got; null where the reply came later, from the run. */
  status: number | null
  runId: string | null
  webhook: ShownWebhook
}

export interface SampleRecord {
  id: string
  flowId: string
  receivedAt: number
  webhook: ShownWebhook
}

export interface RunRecord extends Omit<NewRun, 'hops' | 'document' | 'replyStatus' | 'webhook'> {
  webhook: ShownWebhook
  status: RunStatus
  error: RunError | null
  startedAt: number | null
  finishedAt: number | null
}

export interface RunFilter {
  flowId: string | null
  status: RunStatus | null
  since: number | null
  until: number | null
}

/** Part of a run's steps: those whose path begins with `under`, after the place `after` in the order of their begin. */
export interface StepsPage {
  under: string
  after: number
  limit: number
  /** So many bytes at most of what they worked with and what came of them, each and in all. */
  maxBytes?: number
}

export interface FlowVersion {
  flowId: string
  version: number
}

export interface UnfinishedRun {
  id: string
  flowId: string
  version: number | null
  status: RunStatus
  resumeAt: number | null
}

export interface Dedupe {
  key: string
  expiresAt: number
}

export type KeyValueResult = { output: unknown } | { error: StepError }

/** What a replay takes over from the journal of another run: all that came before the step it begins with. */
export interface ReplayedJournal {
  runId: string
  /** The place of that step in the order in which the run's steps began. */
  before: number
}

/** What goes with a run that is taken on. */
export interface RunTerms {
  /** At most so many runs of its flow at once. */
  concurrency: number | null
  /** A caller of this process waits for its reply. */
  awaited: boolean
  /** Taken on only while this webhook leads to this version; null: whatever webhooks say. */
  route: RouteRecord | null
}

export interface Accepted {
  /** The run that holds the dedupe key: nothing was taken on. */
  duplicateOf: string | null
  /** The webhook leads elsewhere by now: nothing was taken on. */
  stale?: boolean
  /** This process is to run it, and holds it already. */
  claim?: Claim | null
}

export interface RunStore {
  /** Durable when it resolves. With a dedupe key that another run holds, nothing starts and that run's id comes back. */
  accept(run: NewRun, dedupe?: Dedupe | null, journal?: ReplayedJournal | null, terms?: RunTerms): Promise<Accepted>
  /** The run as it was taken on, with its true values. */
  original(id: string): Promise<NewRun | null>
  /** The version that the run follows; a run of a draft has its document. */
  followed(id: string): Promise<Pick<NewRun, 'flowId' | 'version' | 'document'> | null>
  /** When the step at that path began, in the order of the run's steps. */
  seqOf(id: string, path: string): Promise<number | null>
  /** Without its body where that is larger than `maxBodyBytes`. */
  get(id: string, maxBodyBytes?: number): Promise<RunRecord | null>
  /** So many bytes at most of what they worked with and what came of them, each and in all. */
  steps(id: string, maxBytes?: number): Promise<ShownEntry[]>
  stepsPage(id: string, page: StepsPage): Promise<ShownEntry[]>
  /** Of one step, as the JSON text that is stored in sight; null: it is not there. */
  stepPart(id: string, path: string, part: StepPart): Promise<string | null>
  /** What was delivered, as it is stored in sight; null: there is no such run. */
  body(id: string): Promise<Uint8Array | null>
  list(filter: RunFilter, page: Page): Promise<Paged<Omit<RunRecord, 'webhook'>>>
  /** The newest run of each of these flows. */
  latestOf(flowIds: readonly string[]): Promise<{ flowId: string; id: string; status: RunStatus; createdAt: number }[]>
  /** An operation on a flow's keys outside of a run. */
  operate(flowId: string, operation: KeyValueOperation, now: number): Promise<KeyValueResult>
  /** false: it had finished before. Whoever runs it has lost its claim. */
  cancel(id: string, at: number, error: RunError): Promise<boolean>
  /** In the order in which they came, page by page. */
  active(status: 'queued' | 'running', after: string | null, limit: number): Promise<UnfinishedRun[]>
  /** The versions that have runs waiting. */
  waitingVersions(): Promise<FlowVersion[]>
  /** The runs of a version that wait, in the order in which they came, page by page. */
  waiting(of: FlowVersion, after: string | null, limit: number): Promise<UnfinishedRun[]>
  /** Waiting runs whose time has come, and when the next one's comes. */
  due(now: number, limit: number): Promise<{ runs: UnfinishedRun[]; nextAt: number | null }>
  /** Counts one more attempt of every run that a dead process left running. */
  countRecovered(): Promise<number>
}

export interface DeliveryStore {
  /** For deliveries that start no run; an accepted one is its run. */
  add(delivery: DeliveryRecord): Promise<void>
  /** Deletes all rejected ones of the flow but the last. */
  trimRejected(flowId: string, keep: number): Promise<void>
  /** Without what they brought, which is not read. */
  inbox(filter: DeliveryFilter, page: Page): Promise<Paged<Omit<DeliveryRecord, 'webhook'>>>
  /** Without bodies larger than `maxBytes`; the page ends before what it brings exceeds that. */
  list(filter: DeliveryFilter, page: Page, maxBytes?: number): Promise<Paged<DeliveryRecord>>
  /** Without its body where that is larger than `maxBodyBytes`. */
  get(id: string, maxBodyBytes?: number): Promise<DeliveryRecord | null>
  /** As it is stored in sight; null: there is no such delivery. */
  body(id: string): Promise<Uint8Array | null>
}

export interface DeliveryFilter {
  flowId: string | null
  outcome: DeliveryOutcome | null
}

/** The runs of a flow in one hour, counted since 1970. */
export interface FlowHour {
  flowId: string
  hour: number
  runs: number
  failed: number
}

export interface ActivityStore {
  /** Adds to what is there. */
  add(counts: readonly FlowHour[]): Promise<void>
  since(flowIds: readonly string[], hour: number): Promise<FlowHour[]>
  deleteBefore(hour: number): Promise<void>
}

export interface SampleStore {
  /** Keeps the last `keep` of the flow. */
  add(sample: SampleRecord, keep: number): Promise<void>
  /** Newest first, with so many bytes of bodies at most, each and in all. */
  list(flowId: string, maxBytes?: number): Promise<SampleRecord[]>
  latest(flowId: string): Promise<SampleRecord | null>
  /** The latest outputs of Test Step, by step id, without those that are larger. */
  stepResults(flowId: string, maxBytes?: number): Promise<Record<string, unknown>>
  setStepResult(flowId: string, stepId: string, output: unknown, at: number): Promise<void>
  /** Both, but nothing larger than `maxBytes` is read: such results are left out, and with one such sample all of them. */
  small(flowId: string, maxBytes: number): Promise<{ webhooks: WebhookData[]; results: Record<string, unknown> }>
}

export interface Housekeeping {
  /** Deletes at most `limit` of what is older than `before`; the number deleted. */
  deleteOlderThan(before: number, now: number, limit: number): Promise<number>
}

export interface QueuedRun {
  id: string
  flowId: string
  /** At most so many runs of its flow at once. */
  concurrency: number | null
  /** The run as it was just accepted, so that it need not be read back; null where it must be. */
  fresh: NewRun | null
  /** When its time had come: since then it is in line. */
  since: number
  /** This process holds it already. */
  claim?: Claim | null
}

export interface Queue {
  /** Runs taken on and not begun. */
  readonly size: number
  /** Since when the one that has waited longest is in line; null: nobody waits. */
  readonly oldestSince: number | null
  /** Whoever joins the line after so many more will wait for longer than its run takes; not said of a short line. */
  isSlow(joining: number): boolean
  add(run: QueuedRun): void
  /** The run ended otherwise, wherever it stood. */
  forget(run: { id: string; flowId: string }): void
  forgetAllOf(flowId: string): void
}

/** For what large runs bring into memory. */
export interface Room {
  bytes: number
  /** One of them, however large it is. */
  oneAtLeast: boolean
}

/** With the bytes that it took to read it; 0: few. */
export type TakenRun = ClaimedRun & { bytes: number }

/** Where processes that share the work find it, and find out which of them are alive. */
export interface DispatchStore {
  /** Takes over at most so many runs that nobody holds and whose time has come, large ones only as there is room for them. */
  take(worker: string, limit: number, room?: Room): Promise<TakenRun[]>
  /** Milliseconds until the next run's time comes. */
  nextDueIn(): Promise<number | null>
  /** Runs that nobody has begun, counted up to `most`. */
  waiting(most: number): Promise<number>
  /** Lets as many runs of the flow's line begin as its limit has room for; whether there were any. */
  admit(flowId: string): Promise<boolean>
  /** Flows with runs in line, each with the first of them. */
  lines(): Promise<{ flowId: string; firstRunId: string }[]>
  /** What a worker holds. */
  heldBy(worker: string): Promise<Claim[]>
  /** What it holds goes back in line. */
  putBack(worker: string, claims: readonly Claim[]): Promise<void>
  enlist(worker: string): Promise<void>
  /** false: it was taken for dead, and what it held is others' now. */
  beat(worker: string): Promise<boolean>
  /** How often each worker has given a sign of life. */
  beats(): Promise<Map<string, number>>
  /** Takes a worker off the list that has given no sign of life since. */
  strike(worker: string, beat: number): Promise<void>
  /** Whatever is held by none of the workers on the list goes back in line; the number of such runs. */
  freeOrphans(): Promise<number>
  /** The worker leaves, and what it holds goes back in line. */
  leave(worker: string): Promise<void>
}

/** What one process tells the others. */
export type Signal =
  /** The flow's webhook, version or draft has changed. */
  | { topic: 'flow'; flowId: string }
  | { topic: 'flow_deleted'; flowId: string }
  | { topic: 'cancelled'; runId: string }
  | { topic: 'connections' }
  /** Whoever had come in by this session or token, or as this user, has to show again who they are. */
  | { topic: 'access_ended'; actorId: string }
  /** Somebody watches events in the process that says so. */
  | { topic: 'watching' }
  | { topic: 'news'; news: News[] }

/** That a run has come further, or that something has arrived: what there is to know of it stands in the database. */
export interface News {
  type: 'run' | 'delivery' | 'sample'
  /** An accepted delivery goes by the id of its run. */
  id: string
  flowId: string
}

/** The way to the other processes; where there is only one, it leads nowhere. */
export interface Signals {
  /** To all others, in order, as soon as may be. */
  send(signal: Signal): void
}

export type Scope = 'read' | 'write' | 'admin'
export type Role = 'viewer' | 'editor' | 'owner'

export interface UserRecord {
  id: string
  /** In lower case. */
  email: string
  name: string
  role: Role
  createdAt: number
  lastSignInAt: number | null
}

export interface NewUser extends UserRecord {
  /** Its hash. */
  password: string
}

export interface UserStore {
  get(id: string): Promise<UserRecord | null>
  byEmail(email: string): Promise<NewUser | null>
  /** In the order in which they came. */
  list(page: Page): Promise<Paged<UserRecord>>
  /** Whether the first owner was made. */
  isSetUp(): Promise<boolean>
  /** false: there was one already. */
  addFirstOwner(user: NewUser): Promise<boolean>
  /** Uses the invitation up, of which `code` is the digest. */
  addInvited(user: NewUser, code: string): Promise<'added' | 'no_invitation' | 'email_taken'>
  /** Tokens of the user that reach further than `scope` go. */
  setRole(id: string, role: Role, scope: Scope): Promise<UserRecord | 'last_owner' | null>
  /** With its sessions and tokens. */
  remove(id: string): Promise<UserRecord | 'last_owner' | null>
  /** Ends all sessions of the user. false: the password is not `expected` any more; null expects none. */
  setPassword(id: string, password: string, expected: string | null): Promise<boolean>
}

export interface SessionRecord {
  /** The digest of what the cookie holds. */
  id: string
  userId: string
  createdAt: number
  expiresAt: number
}

export interface SessionStore {
  /** false: the password that was checked, of which `password` is the hash, is not the user's any more. */
  open(session: SessionRecord, password: string): Promise<boolean>
  find(id: string): Promise<{ session: SessionRecord; user: UserRecord } | null>
  renew(id: string, expiresAt: number): Promise<void>
  end(id: string): Promise<void>
}

export interface InvitationRecord {
  id: string
  /** null: for whoever has the link. */
  email: string | null
  role: Role
  createdAt: number
  expiresAt: number
  /** Whose invitation it is: it goes with that user, or with the role. */
  userId: string | null
}

export interface InvitationStore {
  /** false: the user has gone or has another role by now. */
  add(invitation: InvitationRecord, code: string): Promise<boolean>
  byCode(code: string, now: number): Promise<InvitationRecord | null>
  /** Those that can still be used, newest first. */
  list(now: number, page: Page): Promise<Paged<InvitationRecord>>
  remove(id: string): Promise<InvitationRecord | null>
}

export interface TokenRecord {
  id: string
  digest: string
  name: string
  scope: Scope
  createdAt: number
  createdBy: string
  /** Whose token it is: it goes with that user. */
  userId: string | null
  lastUsedAt: number | null
}

export interface TokenStore {
  all(): Promise<TokenRecord[]>
  find(digest: string): Promise<TokenRecord | null>
  /** false: the user has gone or has another role by now. */
  add(token: TokenRecord): Promise<boolean>
  remove(id: string): Promise<TokenRecord | null>
  used(id: string, at: number): Promise<void>
}

/** Passwords are kept as hashes that are slow to compute. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** Takes as long without a hash, and says no. */
  match(password: string, hash: string | null): Promise<boolean>
}

export type AuditAction =
  | `flow.${'create' | 'update' | 'publish' | 'unpublish' | 'delete' | 'restore' | 'regenerate'}`
  | `run.${'cancel' | 'replay'}`
  | `connection.${'create' | 'update' | 'delete' | 'authorize'}`
  | 'key.rotate'
  | 'backup.create'
  | `token.${'create' | 'revoke'}`
  | `invitation.${'create' | 'revoke' | 'accept'}`
  | `user.${'setup' | 'sign_in' | 'sign_in_failed' | 'sign_out' | 'password_change' | 'password_reset' | 'role_change' | 'delete'}`

export interface AuditTarget {
  kind: string
  id: string
  name: string | null
}

export interface AuditEntry {
  id: string
  at: number
  /** As it was called then: an e-mail address, or the name of a token. */
  actor: string
  actorId: string | null
  action: AuditAction
  target: AuditTarget | null
  details: Record<string, unknown>
}

/** Writes of several stores as one. */
export interface Together {
  /** All that `work` writes to stores is committed when it resolves, and none of it when it rejects. It waits for the database only. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** What has to wait until then, such as what is kept in memory; at once where nothing is under way. */
  after(then: () => Promise<void> | void): Promise<void>
}

export interface AuditStore {
  add(entry: AuditEntry): Promise<void>
  /** Newest first. */
  list(page: Page): Promise<Paged<AuditEntry>>
  /** Deletes at most `limit`; the number deleted. */
  deleteOlderThan(before: number, limit: number): Promise<number>
}

export interface Backup {
  path: string
  size: number
  /** Once it has been read. */
  remove(): void
}

export interface Backups {
  /** Everything that was committed when it was called; writers are not held up. */
  make(): Promise<Backup>
}

/** Secrets typed into flows, and the hiding of every secret that is known. */
export interface Secrets {
  /** Sealed for this flow; known, and hidden everywhere, from here on. */
  seal(literal: string, flowId: string): string
  /** null: it was sealed for another flow, or with a key that is gone. */
  unseal(sealed: string, flowId: string): string | null
  /** The secrets that a source, such as a connection, has now; those it had before stay hidden while runs may hold them. */
  setSource(source: string, values: readonly string[]): void
  /** Lets go of former secrets that no run has held since before that time. */
  forget(before: number): void
  /** Finds these values, in whatever form, in the texts that it is given. */
  finder(values: readonly string[]): (text: string) => boolean
  /** A flow names these sources: `connection:<name>`, `env:<NAME>`, or `env:*` for all of the environment. */
  touch(flowId: string, sources: Iterable<string>): void
  /** Of a flow: a secret that it can have to do with. */
  holds(text: string, flowId?: string): boolean
  /**
   * The same value with its secrets hidden; the same reference where it has none. Of a flow: the secrets that it can have to do
   * with. To hide others would tell who sends guesses which of them is right.
   */
  redact<T>(value: T, flowId?: string): T
  /** As `redact`, for who sent that request: what stands in it is not hidden. */
  redactReply<T>(value: T, flowId: string, request: () => string): T
}

/** For stores: what may be kept in the clear, and how to keep the rest. */
export interface Protect {
  /** The same for what is of a flow: only the secrets that it can have to do with are hidden. */
  of(flowId: string): Protect
  /** The text with its secrets hidden; the same text where it has none. */
  text(text: string): string
  /** As `text`, and JSON stays JSON. */
  json(text: string): string
  /**
   * `binding` names the row: sealed text that was moved to another one cannot be revealed. The secrets in it are sealed with
   * it, and hidden again once it is revealed, also those that have been changed or removed since.
   */
  seal(json: string, binding: string): string
  reveal(sealed: string, binding: string): string
}

/** How far a place was gone through. */
export interface Resealed {
  /** Where to go on; null: that was all of it. */
  after: string | null
  done: number
  /** Values that could not be opened. */
  unreadable: number
}

/** Everything that is sealed in the database. */
export interface SealedRows {
  /** How many values each key has sealed, by its id. */
  count(): Promise<Map<string, number>>
  readonly places: readonly string[]
  /** Seals anew some values of a place that a key has sealed, in one short transaction. `reseal`: null where it cannot be opened. */
  resealSome(
    place: string,
    keyId: string,
    after: string | null,
    reseal: (sealed: string, binding: string) => string | null,
  ): Promise<Resealed>
}

/** What the vault keeps in the database, to know whether its keys fit. */
export interface VaultRecords {
  /** `keyIds`: those that were given with it; null where nobody has noted them. */
  check(): Promise<{ sealed: string; keyIds: string[] | null } | null>
  setCheck(sealed: string, keyIds: readonly string[]): Promise<void>
  /** The ids of the keys that drafts, live versions, unfinished runs, the keys of flows and connections need. */
  keyIdsInUse(): Promise<string[]>
}
