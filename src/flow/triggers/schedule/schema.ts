// Describes the trigger of a flow that runs at planned times.
import Type, { type Static } from 'typebox'
import { TriggerCommon } from '../trigger-kind.ts'

export const SCHEDULE = 'schedule'

/** Each run plans the next time of all patterns. */
export const MOST_PATTERNS = 20
export const LONGEST_PATTERN = 500

/** Planned times lie at least this far apart. */
export const SMALLEST_GAP_SECONDS = 10

const Pattern = Type.String({
  minLength: 1,
  maxLength: LONGEST_PATTERN,
  description: 'Five fields: minute, hour, day of month, month, weekday; or six, with seconds first.',
})

export const ScheduleSettings = Type.Object(
  {
    kind: Type.Literal(SCHEDULE),
    cron: Type.Optional(
      Type.Unsafe<string | string[]>({
        anyOf: [Pattern, Type.Array(Pattern, { minItems: 1, maxItems: MOST_PATTERNS })],
      }),
    ),
    every: Type.Optional(
      Type.Integer({
        minimum: SMALLEST_GAP_SECONDS,
        maximum: 31_536_000,
        description: 'Seconds, counted from 1970, so that a restart shifts nothing; in place of cron.',
      }),
    ),
    timezone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, default: 'UTC', description: 'An IANA name, such as Europe/Berlin.' }),
    ),
    missed: Type.Optional(
      Type.Union([Type.Literal('once'), Type.Literal('all'), Type.Literal('skip')], {
        default: 'once',
        description: 'What becomes of the times that passed while the service was down or the flow was paused.',
      }),
    ),
    overlap: Type.Optional(
      Type.Union([Type.Literal('queue'), Type.Literal('skip'), Type.Literal('allow')], {
        default: 'queue',
        description: 'What happens when the run of the time before is still under way.',
      }),
    ),
    jitter: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3_600,
        default: 0,
        description: 'Seconds within which the flow starts late, always by the same time.',
      }),
    ),
    input: Type.Optional(Type.Unsafe<unknown>({ description: 'Any JSON, without expressions.' })),
    ...TriggerCommon,
  },
  { additionalProperties: false },
)

export type ScheduleDocument = Static<typeof ScheduleSettings>
