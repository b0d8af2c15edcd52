// Bodies of the calls that test a connection, and that make one of a secret in a flow.
import Type from 'typebox'

const closed = { additionalProperties: false }

export const ConnectionTestRequest = Type.Object(
  { url: Type.String({ maxLength: 2000, description: 'A URL of the API that needs the credentials; it gets a GET' }) },
  closed,
)

const Verdict = Type.Union(
  [Type.Literal('accepted'), Type.Literal('refused'), Type.Literal('unproven'), Type.Literal('unreachable')],
  { description: 'unproven: the reply says nothing about the credentials' },
)

export const LastConnectionTest = Type.Union(
  [Type.Object({ at: Type.String({ format: 'date-time' }), verdict: Verdict }), Type.Null()],
  { description: 'null: it was not tested since its last change or consent' },
)

export const ConnectionTestBody = Type.Object({
  verdict: Verdict,
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'Of the reply; null: there was none' }),
  message: Type.String({ description: 'What it means, and what to do' }),
  durationMs: Type.Number(),
})

export const SecretConnectionRequest = Type.Object(
  {
    path: Type.String({ maxLength: 1000, description: 'JSON Pointer of the secret in the draft, /steps/0/auth/token' }),
    name: Type.String({ description: 'The name of the new connection' }),
    kind: Type.String({ description: 'basic, bearer, apiKey or custom' }),
    field: Type.String({ description: 'The secret field of the connection that gets the secret, such as token' }),
    fields: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Its other fields' })),
    hosts: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
  },
  closed,
)
