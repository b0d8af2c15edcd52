// Bodies of connections, of the calls that test one, and of those that make one of a secret in a flow.
import Type from 'typebox'
import { GivenFlows, GivenTags } from './access-bodies.ts'

const closed = { additionalProperties: false }
const OptionalList = Type.Union([Type.Array(Type.String()), Type.Null()])
const Time = Type.String({ format: 'date-time' })

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

const ConnectionKind = Type.Enum(['basic', 'bearer', 'apiKey', 'digest', 'oauth2', 'jwt', 'aws', 'tls', 'custom'])
// Names, kinds and fields are checked by the operation, with better messages than a schema gives.
const connectionParts = {
  kind: Type.String({ description: 'basic, bearer, apiKey, digest, oauth2, jwt, aws, tls or custom' }),
  fields: Type.Record(Type.String(), Type.Unknown(), {
    description: 'By kind. A field that is null is removed. A secret field that is left out of a change stays as it is',
  }),
  hosts: Type.Array(Type.String(), {
    maxItems: 100,
    description: 'Where its secrets may be sent: api.example.com, *.example.com, host:port. Empty: anywhere',
  }),
  flows: Type.Union([GivenFlows, Type.Null()], {
    description: 'Ids of the flows that it is for. null or empty, and no tags either: all flows',
  }),
  tags: Type.Union([GivenTags, Type.Null()], { description: 'Flows with one of these tags may use it too' }),
}

export const ConnectionRequest = Type.Object(
  {
    name: Type.String({ description: '^[a-z][a-z0-9_]*$: templates say connections.<name>.<field>' }),
    kind: connectionParts.kind,
    fields: connectionParts.fields,
    hosts: Type.Optional(connectionParts.hosts),
    flows: Type.Optional(connectionParts.flows),
    tags: Type.Optional(connectionParts.tags),
  },
  closed,
)

export const ConnectionChangeRequest = Type.Partial(Type.Object({ name: Type.String(), ...connectionParts }, closed))

export const ConnectionBody = Type.Object({
  name: Type.String(),
  kind: ConnectionKind,
  fields: Type.Record(Type.String(), Type.Unknown(), { description: 'Without the secret ones' }),
  secretFields: Type.Array(Type.String(), { description: 'The names of the secret fields that are set' }),
  outside: Type.Record(Type.String(), Type.String(), {
    description: 'Where those of them are that are kept elsewhere: `file:…` or `vault:…`',
  }),
  hosts: Type.Array(Type.String()),
  flows: OptionalList,
  tags: OptionalList,
  state: Type.Enum(['ready', 'unconnected', 'reconnect']),
  reason: Type.Union([Type.String(), Type.Null()]),
  expiresAt: Type.Union([Time, Type.Null()], { description: 'Of the access token' }),
  certificate: Type.Union([Type.Object({ subject: Type.String(), expiresAt: Time }), Type.Null()], {
    description: 'Its client certificate',
  }),
  usedBy: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  createdAt: Time,
  updatedAt: Time,
  lastTest: LastConnectionTest,
})

export const AuthorizationBody = Type.Object({
  url: Type.String({ description: 'For the browser of the person who gives consent; good for 10 minutes, once' }),
})
