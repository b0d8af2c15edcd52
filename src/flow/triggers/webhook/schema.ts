// Describes the trigger of a flow that a webhook starts.
import Type, { type Static } from 'typebox'
import { HMAC_ALGORITHMS, KEY_PAIR_ALGORITHMS } from '../../../base/signing/algorithm-names.ts'
import { XmlLists } from '../../formats/xml-lists-schema.ts'
import { condition, json, NameValueList, secretText, secretTexts, templated, text } from '../../schema.ts'
import { TriggerCommon } from '../trigger-kind.ts'
import { Handshake } from './handshake/schema.ts'

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
  Type.Literal('custom'),
])

const algorithms = [...HMAC_ALGORITHMS, ...KEY_PAIR_ALGORITHMS].map((name) => Type.Literal(name))

/** The settings of the scheme `custom`. */
const CustomSignature = {
  algorithm: Type.Optional(Type.Union(algorithms)),
  encoding: Type.Optional(Type.Union([Type.Literal('hex'), Type.Literal('base64')])),
  prefix: Type.Optional(Type.String({ maxLength: 100, description: 'What stands before the signature.' })),
  publicKey: Type.Optional(
    text({ minLength: 1, description: 'In place of secret: a PEM, base64 of SPKI, or hex of Ed25519.' }),
  ),
  signed: Type.Optional(
    text({ minLength: 1, description: 'What is signed; the received bytes where {{ webhook.rawBody }} stands.' }),
  ),
  timestamp: Type.Optional(text({ minLength: 1, description: 'The signed time: seconds, milliseconds or ISO 8601.' })),
}

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
      secret: Type.Optional(secretTexts()),
      header: Type.Optional(text({ minLength: 1 })),
      ...CustomSignature,
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

/** Who sends, by the name of its file, with what that sender needs. */
const SenderSettings = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 40, description: 'The name of a sender, such as stripe or github.' }),
    secret: Type.Optional(secretTexts()),
    verifyToken: Type.Optional(secretText()),
    publicKey: Type.Optional(text({ minLength: 1 })),
    user: Type.Optional(text({ minLength: 1 })),
    password: Type.Optional(secretText()),
    url: Type.Optional(
      text({ minLength: 1, description: 'The URL that the sender was given, where a proxy makes another one of it.' }),
    ),
  },
  closed,
)

export const WebhookSettings = Type.Object(
  {
    kind: Type.Literal(WEBHOOK),
    sender: Type.Optional(SenderSettings),
    handshake: Type.Optional(Type.Array(Handshake, { minItems: 1, maxItems: 5 })),
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
    parse: Type.Optional(
      Type.Literal('xml', { description: 'Bodies of XML types are parsed; JSON and forms stay what they are.' }),
    ),
    lists: Type.Optional(XmlLists),
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
