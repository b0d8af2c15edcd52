// The bodies of failures, of replays, and of what is done to many runs at once.
import Type from 'typebox'
import { PageQuery, RunStatus, withLabels } from './bodies.ts'

const closed = { additionalProperties: false }
const Time = Type.String({ format: 'date-time' })
const OptionalTime = Type.Union([Time, Type.Null()])
const FailureState = Type.Enum(['open', 'resolved', 'muted'])
const Id = Type.String({ maxLength: 100 })
const AnyTime = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }))

export const FailureBody = Type.Object({
  id: Type.String(),
  flow: Type.String({ description: 'The id of the flow' }),
  flowName: Type.Union([Type.String(), Type.Null()], { description: 'null if the flow was deleted' }),
  step: Type.Union([Type.String(), Type.Null()], { description: 'The id of the step that failed' }),
  code: Type.String(),
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'The status of the reply that failed the step' }),
  message: Type.String({ description: '… stands for what differs from run to run' }),
  count: Type.Integer(),
  firstAt: Time,
  lastAt: Time,
  versions: Type.Array(Type.Integer(), { description: 'The newest versions it happened on, at most 20' }),
  hours: Type.Array(Type.Integer(), { description: 'The failures of each of the last 72 hours, the oldest first' }),
  latestRun: Type.String(),
  state: FailureState,
  until: Type.Union([Time, Type.Null()], { description: 'The time until which it is muted' }),
})

export const FailuresQuery = Type.Object(
  {
    ...PageQuery.properties,
    flow: Type.Optional(Type.String({ maxLength: 100, description: 'The id or slug of a flow' })),
    state: Type.Optional(FailureState),
  },
  withLabels,
)

export const FailureRequest = Type.Object(
  { state: FailureState, until: AnyTime('ISO 8601 time until which it is muted') },
  closed,
)

const ReplayVersion = Type.Union([Type.Enum(['same', 'published', 'draft']), Type.Integer({ minimum: 1 })], {
  description: 'same (the default), published, draft, or the number of a version',
})

const Texts = Type.Record(Type.String({ maxLength: 1000 }), Type.String(), { maxProperties: 200 })

export const ReplayRequest = Type.Object(
  {
    from: Type.Optional(
      Type.String({ minLength: 1, description: 'Path of the step to begin with; what came before is taken over' }),
    ),
    version: Type.Optional(ReplayVersion),
    webhook: Type.Optional(
      Type.Object(
        { body: Type.Optional(Type.Unknown()), headers: Type.Optional(Texts), query: Type.Optional(Texts) },
        { ...closed, minProperties: 1, description: 'Parts of the delivery to change; the others stay as they were' },
      ),
    ),
    steps: Type.Optional(
      Type.Record(Type.String({ maxLength: 1000 }), Type.Unknown(), {
        minProperties: 1,
        maxProperties: 100,
        description: 'Results to take as given, by the path of their step: these steps do not run',
      }),
    ),
  },
  closed,
)

const RunFilter = Type.Object(
  {
    flow: Type.Optional(Type.String({ maxLength: 100, description: 'The id or slug of a flow' })),
    failure: Type.Optional(
      Type.Union([Id, Type.Array(Id, { minItems: 1, maxItems: 200 })], {
        description: 'The id of a failure, or a list of ids',
      }),
    ),
    status: Type.Optional(RunStatus),
    since: AnyTime('ISO 8601 time, or milliseconds since 1970'),
    until: AnyTime('Runs before this time; as since'),
    label: Type.Optional(
      Type.Record(Type.String({ maxLength: 64 }), Type.String({ minLength: 1, maxLength: 1000 }), {
        minProperties: 1,
        maxProperties: 10,
        description: 'Labels that the run has, by name',
      }),
    ),
  },
  { ...closed, description: 'Names at least one of these; a run must match all that are named' },
)

const EndedFilter = Type.Object(
  { ...RunFilter.properties, status: Type.Optional(Type.Enum(['failed', 'succeeded', 'cancelled'])) },
  { ...closed, description: 'Names at least one of these; status is failed by default' },
)

export const ReplaysRequest = Type.Object(
  {
    filter: EndedFilter,
    from: Type.Optional(
      Type.Union(
        [Type.Enum(['failed', 'start']), Type.Object({ step: Type.String({ minLength: 1, maxLength: 1000 }) }, closed)],
        { description: 'The step that failed (the default), the start, or the step at a path' },
      ),
    ),
    version: Type.Optional(ReplayVersion),
    pace: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 50, description: 'Replays per second' })),
    again: Type.Optional(Type.Boolean({ description: 'Also runs with a replay that succeeded' })),
    replays: Type.Optional(Type.Boolean({ description: 'Also runs that are replays themselves' })),
    dryRun: Type.Optional(Type.Boolean({ description: 'Only says how many runs match' })),
  },
  closed,
)

export const ReplayPreviewBody = Type.Object({
  total: Type.Integer({ description: 'The runs that are replayed' }),
  alreadyReplayed: Type.Integer({
    description: 'The runs with a replay that succeeded; they are left out, except with again',
  }),
})

export const ReplaysBody = Type.Object({
  id: Type.String(),
  state: Type.Enum(['running', 'paused', 'done', 'cancelled']),
  ...ReplayPreviewBody.properties,
  started: Type.Integer({ description: 'Runs whose replay was started, or could not be' }),
  done: Type.Integer({ description: 'Replays that succeeded' }),
  failed: Type.Integer({ description: 'Replays that ended in another way, or could not be started' }),
  pace: Type.Integer(),
  createdAt: Time,
  createdBy: Type.String(),
  finishedAt: OptionalTime,
  request: Type.Unknown({ description: 'What was asked for' }),
  problems: Type.Optional(
    Type.Array(Type.Object({ message: Type.String(), count: Type.Integer() }), {
      description: 'Why replays could not be started; only if one job is read',
    }),
  ),
})

export const CancelRunsRequest = Type.Object(
  {
    filter: Type.Object(
      { ...RunFilter.properties, status: Type.Optional(Type.Enum(['queued', 'running', 'waiting'])) },
      { ...closed, description: 'Names at least one of these; without status, every run that has not ended' },
    ),
    dryRun: Type.Optional(Type.Boolean({ description: 'Only says how many runs match' })),
  },
  closed,
)

export const CancelledRunsBody = Type.Object({
  total: Type.Integer({ description: 'The runs that matched' }),
  cancelled: Type.Integer(),
})
