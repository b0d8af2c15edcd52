// The bodies of alerts.
import Type from 'typebox'
import { ALERT_RULES, type AlertNumber, MOST_OF } from '../base/alert-rules.ts'

const closed = { additionalProperties: false }
const OptionalText = Type.Union([Type.String(), Type.Null()])
const Time = Type.String({ format: 'date-time' })
const OptionalTime = Type.Union([Time, Type.Null()])

const Rule = Type.Enum([...ALERT_RULES])

const number = (name: AlertNumber) => Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_OF[name] }))
const limits = { count: number('count'), minutes: number('minutes'), seconds: number('seconds') }

const Address = Type.String({ maxLength: 254, pattern: '^[^\\s@<>,;"]+@[^\\s@<>,;"]+$' })
const EmailTarget = Type.Object(
  { kind: Type.Literal('email'), to: Type.Array(Address, { minItems: 1, maxItems: 20 }) },
  closed,
)
const Url = Type.String({ minLength: 1, maxLength: 2_000 })

export const AlertRequest = Type.Object(
  {
    rule: Rule,
    ...limits,
    flow: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'The id or slug of a flow' })),
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'For the flows with this tag' })),
    target: Type.Union([
      Type.Object(
        {
          kind: Type.Literal('webhook'),
          url: Url,
          secret: Type.Optional(
            Type.String({ maxLength: 200, description: 'whsec_ and base64; without it, one is made' }),
          ),
        },
        closed,
      ),
      EmailTarget,
    ]),
  },
  closed,
)

export const AlertBody = Type.Object({
  id: Type.String(),
  rule: Rule,
  ...limits,
  flow: Type.Union([Type.Object({ id: Type.String(), name: OptionalText }), Type.Null()]),
  tag: OptionalText,
  target: Type.Union([Type.Object({ kind: Type.Literal('webhook'), url: Url }), EmailTarget]),
  createdAt: Time,
  sentAt: OptionalTime,
  problem: Type.Union([Type.String(), Type.Null()], { description: 'Why the latest message could not be sent' }),
})

export const CreatedAlertBody = Type.Object({
  ...AlertBody.properties,
  secret: Type.Optional(Type.String({ description: 'The key that signs the messages; it is never shown again' })),
})

export const AlertsBody = Type.Object({ items: Type.Array(AlertBody) })

export const AlertTestBody = Type.Object({
  sent: Type.Boolean(),
  message: Type.Union([Type.String(), Type.Null()], { description: 'Why it was not sent' }),
})
