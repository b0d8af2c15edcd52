// The bodies of the statistics.
import Type from 'typebox'

const closed = { additionalProperties: false }
const Time = Type.String({ format: 'date-time' })
const Count = Type.Integer({ minimum: 0 })
const OptionalNumber = Type.Union([Type.Number(), Type.Null()])
const OptionalText = Type.Union([Type.String(), Type.Null()])

const Range = Type.Enum(['24h', '7d', '30d'])

export const StatsQuery = Type.Object(
  {
    range: Type.Optional(Type.Enum(['24h', '7d', '30d'], { default: '24h' })),
    flow: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'The id of one flow' })),
  },
  closed,
)

const Counts = {
  deliveries: Type.Object({ accepted: Count, duplicate: Count, filtered: Count, rejected: Count }),
  runs: Type.Object({ started: Count, succeeded: Count, failed: Count, cancelled: Count }),
  successRate: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
    description: 'The share of succeeded runs among those that succeeded or failed; null without any',
  }),
  p50Ms: OptionalNumber,
  p95Ms: OptionalNumber,
}

const RankedFlow = Type.Object({ flowId: Type.String(), flowName: Type.String(), ...Counts })

export const StatsBody = Type.Object({
  range: Range,
  from: Time,
  to: Time,
  stepSeconds: Type.Integer({ description: 'The time between two points of the series' }),
  flow: Type.Union([Type.Object({ id: Type.String(), name: Type.String() }), Type.Null()]),
  totals: Type.Object(Counts),
  series: Type.Array(Type.Object({ at: Time, ...Counts }), {
    description: 'Oldest first; the last one has only begun',
  }),
  busiest: Type.Array(RankedFlow),
  slowest: Type.Array(RankedFlow, { description: 'By p95Ms' }),
  errors: Type.Array(
    Type.Object({ flowId: Type.String(), flowName: Type.String(), code: Type.String(), runs: Count }),
    { description: 'What failed most, by flow and code' },
  ),
  waiting: Type.Object({
    runs: Count,
    more: Type.Boolean({ description: 'Whether more runs wait than were counted' }),
  }),
  connections: Type.Array(Type.Object({ name: Type.String(), state: Type.String(), reason: OptionalText }), {
    description: 'The connections that are not ready',
  }),
  instance: Type.Union([
    Type.Object({
      fault: Type.Union([Type.String(), Type.Null()], { description: 'Why the database does not work' }),
      queue: Type.Object({ queued: Count, limit: Count, oldestSeconds: Type.Number(), running: Count }),
      version: Type.String(),
      node: Type.String(),
      database: Type.Object({
        kind: Type.Enum(['sqlite', 'postgres']),
        version: Type.String(),
        bytes: Count,
        freeBytes: OptionalNumber,
      }),
    }),
    Type.Null(),
  ]),
})
