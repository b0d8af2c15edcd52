// Describes a handshake: a request by which a sender asks whether the webhook is there, before it sends anything.
import Type, { type Static } from 'typebox'
import { condition, json, NameValueList } from '../../../schema.ts'

export const Handshake = Type.Object(
  {
    method: Type.Union([Type.Literal('GET'), Type.Literal('HEAD'), Type.Literal('POST')]),
    when: condition(),
    signed: Type.Optional(
      Type.Boolean({ description: 'Whether it comes after authentication: that of POST does, if nothing is said.' }),
    ),
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 299, default: 200 })),
    headers: Type.Optional(NameValueList),
    contentType: Type.Optional(Type.String({ minLength: 1, maxLength: 255, default: 'application/json' })),
    body: Type.Optional(json('Any JSON value; with a contentType other than JSON, text is sent as it is.')),
  },
  { additionalProperties: false },
)

export type HandshakeDocument = Static<typeof Handshake>
