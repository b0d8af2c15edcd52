// The bodies of the management API, as JSON Schemas: they check what comes in and document what goes out.
import Type, { type TSchema } from 'typebox'
import { IssueBody } from './errors.ts'

const closed = { additionalProperties: false }
const Time = Type.String({ format: 'date-time' })
const OptionalTime = Type.Union([Time, Type.Null()])
const AnyJson = Type.Unknown()

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
  status: Type.Union([Type.Literal('draft'), Type.Literal('published')]),
  revision: Type.Integer(),
  webhook: Type.Object({ id: Type.String(), url: Type.String(), testUrl: Type.String() }),
  draft: AnyJson,
  published: Type.Union([Type.Object({ version: Type.Integer(), publishedAt: Time }), Type.Null()]),
  createdAt: Time,
  updatedAt: Time,
})

export const ValidationBody = Type.Object({ issues: Type.Array(IssueBody), warnings: Type.Array(IssueBody) })
export const PublishedBody = Type.Object({ version: Type.Integer(), warnings: Type.Array(IssueBody) })
export const VersionBody = Type.Object({ version: Type.Integer(), publishedAt: Time, publishedBy: Type.String() })
export const VersionDocumentBody = Type.Object({ ...VersionBody.properties, document: AnyJson })

const GivenWebhook = Type.Object(
  {
    body: Type.Optional(AnyJson),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    query: Type.Optional(Type.Record(Type.String(), Type.String())),
    queryAll: Type.Optional(AnyJson),
    rawBody: Type.Optional(Type.String()),
    metadata: Type.Optional(AnyJson),
  },
  closed,
)

export const FlowTestRequest = Type.Object({ webhook: Type.Optional(GivenWebhook) }, closed)
export const StepTestRequest = Type.Object(
  {
    webhook: Type.Optional(GivenWebhook),
    steps: Type.Optional(Type.Record(Type.String(), AnyJson)),
    vars: Type.Optional(Type.Record(Type.String(), AnyJson)),
  },
  closed,
)

const StepErrorBody = Type.Object({
  code: Type.String(),
  message: Type.String(),
  hint: Type.Optional(Type.String()),
  status: Type.Optional(Type.Integer()),
  response: Type.Optional(AnyJson),
})

export const StepTestBody = Type.Object({
  status: Type.Union([Type.Literal('succeeded'), Type.Literal('failed')]),
  input: AnyJson,
  output: AnyJson,
  error: Type.Union([StepErrorBody, Type.Null()]),
  durationMs: Type.Number(),
})

const WebhookBody = Type.Object({
  body: AnyJson,
  headers: Type.Record(Type.String(), Type.String()),
  query: Type.Record(Type.String(), Type.String()),
  queryAll: Type.Record(Type.String(), Type.Array(Type.String())),
  rawBody: Type.String(),
  metadata: AnyJson,
})

const RunStatus = Type.Union(
  (['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const).map((status) => Type.Literal(status)),
)

export const RunSummaryBody = Type.Object({
  id: Type.String(),
  flowId: Type.String(),
  version: Type.Union([Type.Integer(), Type.Null()]),
  status: RunStatus,
  test: Type.Boolean(),
  error: Type.Union([StepErrorBody, Type.Null()]),
  createdAt: Time,
  startedAt: OptionalTime,
  finishedAt: OptionalTime,
  replayOf: Type.Union([Type.String(), Type.Null()]),
})

const StepBody = Type.Object({
  path: Type.String(),
  id: Type.String(),
  kind: Type.String(),
  status: Type.String(),
  attempt: Type.Integer(),
  startedAt: Time,
  finishedAt: OptionalTime,
  input: AnyJson,
  output: AnyJson,
  error: Type.Union([StepErrorBody, Type.Null()]),
  logs: Type.Array(Type.String()),
})

export const RunBody = Type.Object({
  ...RunSummaryBody.properties,
  webhook: WebhookBody,
  vars: Type.Record(Type.String(), AnyJson),
  steps: Type.Array(StepBody),
})

export const ReplayRequest = Type.Object(
  {
    from: Type.Optional(
      Type.String({ minLength: 1, description: 'Path of the step to begin with; what came before is taken over' }),
    ),
    version: Type.Optional(Type.Union([Type.Literal('same'), Type.Literal('published'), Type.Literal('draft')])),
  },
  closed,
)

export const RunsQuery = Type.Object(
  {
    ...PageQuery.properties,
    flow: Type.Optional(Type.String({ maxLength: 100 })),
    status: Type.Optional(RunStatus),
    since: Type.Optional(Type.String({ description: 'ISO 8601 time, or milliseconds since 1970' })),
  },
  closed,
)

export const DeliveryBody = Type.Object({
  id: Type.String(),
  flowId: Type.String(),
  receivedAt: Time,
  outcome: Type.Union(
    (['accepted', 'duplicate', 'filtered', 'rejected'] as const).map((outcome) => Type.Literal(outcome)),
  ),
  code: Type.Union([Type.String(), Type.Null()]),
  message: Type.Union([Type.String(), Type.Null()]),
  status: Type.Union([Type.Integer(), Type.Null()]),
  runId: Type.Union([Type.String(), Type.Null()]),
  webhook: WebhookBody,
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
