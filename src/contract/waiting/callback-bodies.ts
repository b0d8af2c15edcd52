// The bodies of callbacks and approvals.
import Type from 'typebox'

const closed = { additionalProperties: false }
const Time = Type.String({ format: 'date-time' })
const OptionalTime = Type.Union([Time, Type.Null()])
const AnyJson = Type.Unknown()

const ApprovalFieldBody = Type.Object({
  name: Type.String(),
  label: Type.String(),
  type: Type.Enum(['text', 'number', 'boolean']),
  required: Type.Boolean(),
})

/** What a person is asked. */
const Question = {
  text: Type.String({ description: 'Markdown' }),
  answers: Type.Array(Type.String()),
  fields: Type.Array(ApprovalFieldBody),
  who: Type.Enum(['link', 'users']),
}

/** What a run waits for, or waited for, by a URL. */
export const RunCallbackBody = Type.Object({
  id: Type.String(),
  step: Type.String({ description: 'The path of the step, rounds included' }),
  kind: Type.Enum(['callback', 'approval']),
  state: Type.Enum(['early', 'open', 'answered', 'timedOut', 'closed']),
  url: Type.Optional(Type.String({ description: 'Only for those who may edit' })),
  title: Type.Optional(Type.String()),
  asks: Type.Optional(Type.Object(Question, { description: 'Of an approval that is open' })),
  createdAt: Time,
  expiresAt: OptionalTime,
  answeredAt: OptionalTime,
  answeredBy: Type.Union([Type.String(), Type.Null()], {
    description: 'The user who answered, or link; null if an outside system did, or nobody',
  }),
  answer: Type.Optional(AnyJson),
  early: Type.Optional(
    Type.Array(AnyJson, { description: 'The first of what came before the run did, and that it has not looked at' }),
  ),
  omitted: Type.Optional(
    Type.Array(Type.Enum(['answer', 'early']), { description: 'What is too large to be shown here' }),
  ),
})

export const ApprovalBody = Type.Object({
  id: Type.String(),
  run: Type.String(),
  step: Type.String(),
  flow: Type.Object({ id: Type.String(), name: Type.String() }),
  title: Type.String(),
  ...Question,
  createdAt: Time,
  expiresAt: Time,
})

export const ApprovalAnswerRequest = Type.Object(
  { answer: Type.String({ maxLength: 60 }), fields: Type.Optional(Type.Record(Type.String(), AnyJson)) },
  closed,
)

export const ApprovalAnsweredBody = Type.Object({ id: Type.String(), run: Type.String(), answer: Type.String() })

export const CallbackAnswerRequest = Type.Object(
  {
    body: AnyJson,
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  closed,
)

export const CallbackAnsweredBody = Type.Object({ run: Type.String(), step: Type.String() })

export const CallbackUrlBody = Type.Object({ step: Type.String(), url: Type.String() })
