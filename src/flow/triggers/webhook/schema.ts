// Describes the trigger of a flow that a webhook starts.
import Type, { type Static } from 'typebox'
import { condition, json, NameValueList, secretText, secretTexts, templated, text } from '../../schema.ts'
import { TriggerCommon } from '../trigger-kind.ts'

export const WEBHOOK = 'webhook'

const closed = { additionalProperties: false }

/** Each delivery is compared with all of them. */
export const MOST_ACCEPTED = 100
export const MOST_RANGES = 1_000

const SignatureScheme = Type.Union([
  Type.Literal('github'),
  Type.Literal('stripe'),
  Type.Literal('slack'),
  Type.Literal('shopify'),
  Type.Literal('standard-webhooks'),
  Type.Literal('hmac-sha256'),
])

export const Auth = Type.Union([
  Type.Object({ kind: Type.Literal('none') }, closed),
  Type.Object(
    {
      kind: Type.Literal('header'),
      name: text({ minLength: 1 }),
      value: secretText(),
      anyCase: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'The letter case of the name does not matter: proxies and HTTP/2 change it.',
        }),
      ),
    },
    closed,
  ),
  Type.Object({ kind: Type.Literal('query'), name: text({ minLength: 1 }), value: secretText() }, closed),
  Type.Object(
    {
      kind: Type.Literal('signature'),
      scheme: SignatureScheme,
      secret: secretTexts(),
      header: Type.Optional(text({ minLength: 1 })),
      tolerance: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 86_400, default: 300 })),
    },
    closed,
  ),
])

const ReplyStatus = templated(Type.Integer({ minimum: 200, maximum: 599 }))

const Response = Type.Object(
  {
    mode: Type.Union([Type.Literal('immediate'), Type.Literal('finished')], { default: 'immediate' }),
    status: Type.Optional(ReplyStatus),
    headers: Type.Optional(NameValueList),
    body: Type.Optional(json('Any JSON value; with a configured non-JSON Content-Type, text is sent as it is.')),
    error: Type.Optional(
      Type.Object(
        { status: Type.Optional(ReplyStatus), headers: Type.Optional(NameValueList), body: Type.Optional(json()) },
        closed,
      ),
    ),
    timeout: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 300, default: 30 })),
    reveal: Type.Optional(Type.Boolean({ default: false, description: 'The reply may hold secrets.' })),
  },
  closed,
)

export const WebhookSettings = Type.Object(
  {
    kind: Type.Literal(WEBHOOK),
    auth: Type.Optional(Auth),
    response: Type.Optional(Response),
    dedupe: Type.Optional(
      Type.Object(
        {
          key: text({ minLength: 1 }),
          window: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 31_536_000, default: 86_400 })),
        },
        closed,
      ),
    ),
    when: Type.Optional(condition()),
    accept: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MOST_ACCEPTED })),
    ips: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MOST_RANGES })),
    inbox: Type.Optional(
      Type.Object(
        {
          keepRejected: Type.Optional(
            Type.Boolean({
              default: false,
              description: 'Bodies of rejected deliveries are kept for a while, so that they can be admitted.',
            }),
          ),
        },
        closed,
      ),
    ),
    ...TriggerCommon,
  },
  closed,
)

export type WebhookDocument = Static<typeof WebhookSettings>
