// The bodies of schedules.
import Type from 'typebox'

const closed = { additionalProperties: false }
const Time = Type.String({ format: 'date-time' })
const OptionalTime = Type.Union([Time, Type.Null()])

export const ScheduleBody = Type.Object({
  published: Type.Boolean({ description: 'false: the times are those of the draft' }),
  paused: Type.Boolean(),
  timezone: Type.String(),
  next: Type.Array(Type.Object({ at: Time, runsAt: Time }), { description: 'runsAt is the time with the jitter' }),
  last: Type.Array(
    Type.Object({
      at: Time,
      run: Type.Union([Type.String(), Type.Null()]),
      status: Type.Union([Type.String(), Type.Null()], {
        description: 'skipped: the run before was still under way; null: the run was deleted',
      }),
    }),
    { description: 'Newest first' },
  ),
})

export const GivenSchedule = Type.Object(
  {
    at: Type.Optional(Time),
    previous: Type.Optional(OptionalTime),
    missed: Type.Optional(Type.Integer({ minimum: 0 })),
    input: Type.Optional(Type.Unknown()),
  },
  { ...closed, description: 'For a flow with a schedule; what is left out is as in a run that begins now' },
)
