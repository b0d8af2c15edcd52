// The bodies of the management API, as JSON Schemas: they check what comes in and document what goes out.
import Type, { type TSchema } from 'typebox'
import { IssueBody } from './error-body.ts'
import { RunCallbackBody } from './waiting/callback-bodies.ts'
import { WebhookBody } from './webhook/webhook-body.ts'

const closed = { additionalProperties: false }
/** Of a query that takes `label.<name>=<value>` beside its parameters. */
export const withLabels = {
  ...closed,
  patternProperties: { '^label\\.[a-z][a-z0-9_]*$': Type.String({ minLength: 1 }) },
}
const Time = Type.String({ format: 'date-time' })
const OptionalTime = Type.Union([Time, Type.Null()])
const AnyJson = Type.Unknown()

const oneOf = <const T extends string>(...values: T[]) => Type.Enum(values)

export const PageQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    cursor: Type.Optional(Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9_-]+$' })),
  },
  closed,
)

export const pageOf = (item: TSchema): TSchema =>
  Type.Object({ items: Type.Array(item), nextCursor: Type.Union([Type.String(), Type.Null()]) })

export const FlowBody = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.Union([Type.String(), Type.Null()]),
  status: oneOf('draft', 'published'),
  tags: Type.Array(Type.String(), { description: 'Of the draft' }),
  trigger: Type.Union([Type.String(), Type.Null()], { description: "The kind of the draft's trigger" }),
  revision: Type.Integer(),
  webhook: Type.Union([Type.Object({ id: Type.String(), url: Type.String(), testUrl: Type.String() }), Type.Null()], {
    description: 'null if neither the draft nor the live version has the trigger kind webhook',
  }),
  draft: AnyJson,
  published: Type.Union([Type.Object({ version: Type.Integer(), publishedAt: Time }), Type.Null()]),
  paused: Type.Union([Type.Object({ since: Time, waiting: Type.Integer() }), Type.Null()]),
  createdAt: Time,
  updatedAt: Time,
  updatedBy: Type.Union([Type.String(), Type.Null()], { description: 'Who changed the draft last' }),
})

const Source = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The name of the folder that the files are in',
})
export const FlowSourceBody = Type.Object({
  flowId: Type.String(),
  source: Source,
  path: Type.String({ description: 'Of the file in that folder' }),
  revision: Type.Integer({ description: 'Of the draft, as it was applied' }),
})
export const FlowSourceRequest = Type.Object(
  { source: Source, path: Type.String({ minLength: 1, maxLength: 1000 }), revision: Type.Integer({ minimum: 1 }) },
  closed,
)
export const FlowSourcesQuery = Type.Object({ ...PageQuery.properties, source: Type.Optional(Source) }, closed)

export const ValidationQuery = Type.Object(
  {
    flow: Type.Optional(
      Type.String({ description: 'The id of a flow, whose samples and test results references are held against' }),
    ),
  },
  closed,
)
export const ValidationBody = Type.Object({ issues: Type.Array(IssueBody), warnings: Type.Array(IssueBody) })
export const PublishedBody = Type.Object({ version: Type.Integer(), warnings: Type.Array(IssueBody) })
export const VersionBody = Type.Object({
  version: Type.Integer(),
  publishedAt: Time,
  publishedBy: Type.String({ description: 'The name of a user or token' }),
})
export const VersionDocumentBody = Type.Object({ ...VersionBody.properties, document: AnyJson })

export const CurlBody = Type.Object({ curl: Type.String({ description: 'For a POSIX shell' }) })

const StepErrorBody = Type.Object({
  code: Type.String(),
  message: Type.String(),
  hint: Type.Optional(Type.String()),
  status: Type.Optional(Type.Integer()),
  response: Type.Optional(AnyJson),
  child: Type.Optional(
    Type.Object({ run: Type.String(), step: Type.Optional(Type.String()) }, { description: 'The called run' }),
  ),
})

export const RunErrorBody = Type.Object({
  ...StepErrorBody.properties,
  step: Type.Optional(Type.String({ description: 'The id of the step that failed' })),
})

export const RunStatus = oneOf('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')

export const RunSummaryBody = Type.Object({
  id: Type.String(),
  flowId: Type.String(),
  flowName: Type.Union([Type.String(), Type.Null()]),
  version: Type.Union([Type.Integer(), Type.Null()]),
  status: RunStatus,
  test: Type.Boolean(),
  error: Type.Union([RunErrorBody, Type.Null()]),
  createdAt: Time,
  startedAt: OptionalTime,
  finishedAt: OptionalTime,
  replayOf: Type.Union([Type.String(), Type.Null()]),
  replayedAs: Type.Optional(
    Type.Object({ run: Type.String(), status: RunStatus }, { description: 'The newest replay of it' }),
  ),
  edited: Type.Optional(Type.Literal(true, { description: 'Its data was changed for a replay' })),
  dataDeleted: Type.Optional(
    Type.Literal(true, { description: 'What it was given, sent and got was deleted with its end, as the flow says' }),
  ),
  trigger: Type.Object(
    {
      kind: Type.String(),
      at: Type.Optional(Type.String({ format: 'date-time', description: 'The planned time of a schedule' })),
      manual: Type.Optional(Type.Literal(true, { description: 'Somebody started it in place of the trigger' })),
      admitted: Type.Optional(
        Type.Object(
          { by: Type.String(), delivery: Type.String() },
          { description: 'Who admitted the rejected delivery' },
        ),
      ),
    },
    { description: 'How the run began' },
  ),
  parent: Type.Union([Type.Object({ run: Type.String(), step: Type.String() }), Type.Null()], {
    description: 'The step of another run that started it',
  }),
  labels: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()], {
    description: "What the trigger's labels gave; null if nothing",
  }),
})

export const StepBody = Type.Object({
  path: Type.String(),
  id: Type.String(),
  kind: Type.String(),
  status: Type.String(),
  attempt: Type.Integer(),
  attempts: Type.Optional(
    Type.Array(
      Type.Object({
        number: Type.Integer(),
        startedAt: Time,
        durationMs: Type.Union([Type.Integer(), Type.Null()], { description: 'null while it is under way' }),
        status: Type.Optional(Type.Integer({ description: 'Of the reply' })),
        error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
      }),
      { description: 'Of a step that was tried again: the first 10 attempts and the last 10' },
    ),
  ),
  startedAt: Time,
  finishedAt: OptionalTime,
  resumeAt: Type.Optional(Time),
  input: AnyJson,
  output: AnyJson,
  error: Type.Union([RunErrorBody, Type.Null()]),
  logs: Type.Array(Type.String()),
  omitted: Type.Optional(
    Type.Array(oneOf('input', 'output', 'logs'), { description: 'What is too large to be shown' }),
  ),
})

const OptionalError = Type.Union([RunErrorBody, Type.Null()])
const HandlingBody = Type.Object({ status: RunStatus, steps: Type.Array(StepBody), error: OptionalError })

export const RunBody = Type.Object({
  ...RunSummaryBody.properties,
  webhook: Type.Union([WebhookBody, Type.Null()], { description: 'null if no delivery started the run' }),
  schedule: Type.Optional(AnyJson),
  input: Type.Optional(AnyJson),
  givenOmitted: Type.Optional(Type.Literal(true, { description: 'What the run was given is too large to be shown' })),
  vars: Type.Record(Type.String(), AnyJson),
  children: Type.Array(
    Type.Object({ run: Type.String(), step: Type.String(), flow: Type.String(), status: RunStatus }),
    { description: 'The runs that its steps have started' },
  ),
  steps: Type.Array(StepBody),
  onFailure: Type.Union([HandlingBody, Type.Null()], { description: 'What is done because the run failed' }),
  dataHidden: Type.Optional(
    Type.Literal(true, { description: 'What it was given, sent and got is not shown: that needs the scope runs:data' }),
  ),
  callbacks: Type.Optional(
    Type.Array(RunCallbackBody, { description: 'The callbacks and approvals of the run, if it has any' }),
  ),
})

export const RunsQuery = Type.Object(
  {
    ...PageQuery.properties,
    flow: Type.Optional(Type.String({ maxLength: 100 })),
    status: Type.Optional(RunStatus),
    since: Type.Optional(Type.String({ description: 'ISO 8601 time, or milliseconds since 1970' })),
    until: Type.Optional(Type.String({ description: 'Runs before this time; as since' })),
    failure: Type.Optional(Type.String({ maxLength: 100, description: 'Runs of a failure' })),
  },
  withLabels,
)

export const RunStepsQuery = Type.Object(
  {
    ...PageQuery.properties,
    under: Type.Optional(Type.String({ maxLength: 1000, description: 'The beginning of their paths: all[3]/' })),
  },
  closed,
)

export const StepPartQuery = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 1000, description: 'Of the step: big/tell, all[3]/send' }),
    part: Type.Union([Type.Literal('input'), Type.Literal('output'), Type.Literal('logs')]),
  },
  closed,
)

export const DocumentBody = Type.Object({ document: AnyJson })
export const HarBody = Type.Object({ log: AnyJson })

const Outcome = oneOf('accepted', 'duplicate', 'filtered', 'rejected', 'handshake', 'callback', 'early', 'repeated')

export const DeliveryBody = Type.Object({
  id: Type.String(),
  flowId: Type.String(),
  receivedAt: Time,
  outcome: Outcome,
  code: Type.Union([Type.String(), Type.Null()]),
  message: Type.Union([Type.String(), Type.Null()]),
  status: Type.Union([Type.Integer(), Type.Null()]),
  runId: Type.Union([Type.String(), Type.Null()]),
  event: Type.Union([Type.String(), Type.Null()], { description: 'The type of the event, as the sender calls it' }),
  bodyKept: Type.Optional(
    Type.Literal(true, { description: 'The body of this rejected delivery is kept, so that it can be admitted' }),
  ),
  webhook: WebhookBody,
})

const FlowName = Type.Union([Type.String(), Type.Null()])
export const NamedDeliveryBody = Type.Object({ ...DeliveryBody.properties, flowName: FlowName })
export const InboxEntryBody = Type.Omit(NamedDeliveryBody, ['webhook'])

const Event = Type.Optional(Type.String({ maxLength: 200, description: 'The type of the event' }))
export const EventQuery = Type.Object({ ...PageQuery.properties, event: Event }, withLabels)

export const InboxQuery = Type.Object(
  {
    ...PageQuery.properties,
    flow: Type.Optional(Type.String({ maxLength: 100 })),
    outcome: Type.Optional(Outcome),
    event: Event,
  },
  withLabels,
)

export const FlowsQuery = Type.Object(
  {
    ...PageQuery.properties,
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name' })),
  },
  closed,
)

export const FlowStatsBody = Type.Object({
  flowId: Type.String(),
  lastRun: Type.Union([Type.Object({ id: Type.String(), status: RunStatus, createdAt: Time }), Type.Null()]),
  hours: Type.Array(Type.Object({ runs: Type.Integer(), failed: Type.Integer() }), {
    description: 'The last 24 hours, oldest first',
  }),
})

export const SampleRequest = Type.Object({ delivery: Type.String({ minLength: 1, maxLength: 100 }) }, closed)

export const StepKindBody = Type.Object({ kind: Type.String(), label: Type.String(), settings: AnyJson })

export const ExampleBody = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  document: AnyJson,
  text: Type.String({ description: 'The file as it stands, with its comments' }),
})

/** The pages of docs/ that tell how to write flows. */
export const GUIDE_PAGES = [
  'flows',
  'expressions',
  'http-request',
  'webhooks',
  'signatures',
  'connections',
  'code',
  'patterns',
] as const
export const GuidePage = Type.Object({ page: oneOf(...GUIDE_PAGES) })

export const McpMessage = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
    method: Type.Optional(Type.String()),
    params: Type.Optional(Type.Record(Type.String(), AnyJson)),
  },
  { description: 'One message of the Model Context Protocol; batches are not taken' },
)

export const McpReplyBody = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([Type.String(), Type.Integer(), Type.Null()])),
    result: Type.Optional(Type.Record(Type.String(), AnyJson)),
    error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
  },
  { description: 'The answer to a request' },
)

export const HealthBody = Type.Object({ status: Type.Literal('ok') })
export const ReadyBody = Type.Object({ status: Type.Literal('ready') })

export const SettingsBody = Type.Object({
  version: Type.String(),
  baseUrl: Type.String(),
  webhookBaseUrl: Type.String({ description: 'What the URLs of webhooks begin with' }),
  storage: oneOf('sqlite', 'postgres'),
  limits: Type.Object({
    maxBodyBytes: Type.Integer(),
    webhookRate: Type.Number(),
    maxQueue: Type.Integer(),
    maxPaused: Type.Integer(),
    concurrency: Type.Integer(),
    httpConcurrency: Type.Integer(),
    httpPerHost: Type.Integer(),
    retentionDays: Type.Number(),
  }),
  egressAllow: Type.Array(Type.String()),
  proxy: Type.Array(Type.String(), {
    description: 'The proxies that outbound requests go through, without user and password',
  }),
  env: Type.Array(Type.String(), { description: 'The names of the secrets that flows read as `env`' }),
  config: Type.Record(Type.String(), Type.String(), { description: 'The plain variables that flows read as `config`' }),
})

export const SampleBody = Type.Object({
  id: Type.String(),
  flowId: Type.String(),
  receivedAt: Time,
  webhook: WebhookBody,
})

export const WebhookReplyBody = Type.Object({ status: Type.String(), message: Type.String(), id: Type.String() })

export const AuditBody = Type.Object({
  id: Type.String(),
  at: Time,
  actor: Type.String({ description: 'E-mail address of the user, or the name of the token' }),
  actorId: Type.Union([Type.String(), Type.Null()]),
  action: Type.String(),
  target: Type.Union([
    Type.Object({ kind: Type.String(), id: Type.String(), name: Type.Union([Type.String(), Type.Null()]) }),
    Type.Null(),
  ]),
  details: Type.Record(Type.String(), AnyJson),
})

export const AuditExportQuery = Type.Object(
  {
    since: Type.Optional(Type.String({ description: 'ISO 8601 time, or milliseconds since 1970' })),
    until: Type.Optional(Type.String({ description: 'Entries before this time; as since' })),
  },
  closed,
)

export const KeysBody = Type.Object({
  current: Type.String({ description: 'The id of the key that seals' }),
  keys: Type.Array(
    Type.Object({
      id: Type.String(),
      sealed: Type.Integer({ description: 'Values that need this key' }),
      given: Type.Boolean({ description: 'Whether MILLRACE_SECRET_KEY has it' }),
    }),
  ),
  rotation: Type.Object({
    status: oneOf('idle', 'running', 'failed'),
    done: Type.Integer(),
    total: Type.Integer(),
    error: Type.Union([Type.String(), Type.Null()]),
  }),
})
