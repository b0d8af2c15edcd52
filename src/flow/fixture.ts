// A test of a flow as a document: the delivery, the replies of APIs, and the expected result.
import Type, { type Static } from 'typebox'
import { CODE } from '../base/error-catalogue.ts'
import { checkValue } from './check.ts'
import { Findings, type Issue } from './issue.ts'

const closed = { additionalProperties: false }
const oneOf = <const T extends string>(...values: T[]) =>
  Type.Unsafe<T>({ anyOf: values.map((value) => Type.Literal(value)) })
const AnyJson = Type.Unknown()
const Texts = Type.Record(Type.String(), Type.String())

export const STUB_ERRORS = [
  CODE.connection_timeout,
  CODE.dns_failed,
  CODE.connection_refused,
  CODE.connection_reset,
  CODE.connection_failed,
  CODE.proxy_failed,
  CODE.ssl_certificate,
  CODE.client_certificate,
  CODE.too_many_redirects,
  CODE.response_too_large,
  CODE.response_invalid,
  CODE.blocked_address,
] as const

const StubReply = Type.Object(
  {
    status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, default: 200 })),
    headers: Type.Optional(Texts),
    body: Type.Optional(Type.Unknown({ description: 'Text as it is, anything else as JSON' })),
    base64: Type.Optional(Type.String({ description: 'A body of bytes' })),
    error: Type.Optional(oneOf(...STUB_ERRORS)),
  },
  closed,
)

const Stub = Type.Object(
  {
    method: Type.Optional(Type.String({ description: 'Any method by default' })),
    url: Type.String({ minLength: 1, description: 'The whole URL; * matches any text' }),
    body: Type.Optional(Type.Unknown({ description: 'Only for requests whose body contains this' })),
    reply: Type.Optional(StubReply),
    replies: Type.Optional(Type.Array(StubReply, { minItems: 1, description: 'One for each request, in order' })),
  },
  closed,
)

const Delivery = Type.Object(
  {
    body: Type.Optional(AnyJson),
    rawBody: Type.Optional(Type.String({ description: 'The exact text of the body, instead of body' })),
    files: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description: 'Paths of files by their field, relative to the test: sent as a form, with body as its fields',
      }),
    ),
    file: Type.Optional(Type.String({ description: 'The path of a file that is the body, relative to the test' })),
    headers: Type.Optional(Texts),
    query: Type.Optional(Texts),
    ip: Type.Optional(Type.String()),
    authenticated: Type.Optional(Type.Boolean({ description: "Skips the trigger's auth and ips", default: false })),
  },
  closed,
)

const ExpectedRequest = Type.Object(
  {
    method: Type.Optional(Type.String()),
    url: Type.Optional(Type.String({ description: '* matches any text' })),
    headers: Type.Optional(Type.Record(Type.String(), AnyJson)),
    body: Type.Optional(AnyJson),
  },
  closed,
)

const Expected = Type.Object(
  {
    delivery: Type.Optional(oneOf('accepted', 'duplicate', 'filtered', 'rejected', 'handshake')),
    code: Type.Optional(Type.String({ description: 'Why it was rejected' })),
    reply: Type.Optional(
      Type.Object(
        {
          status: Type.Optional(AnyJson),
          headers: Type.Optional(Type.Record(Type.String(), AnyJson)),
          body: Type.Optional(AnyJson),
        },
        closed,
      ),
    ),
    status: Type.Optional(oneOf('succeeded', 'failed')),
    error: Type.Optional(Type.Record(Type.String(), AnyJson)),
    vars: Type.Optional(Type.Record(Type.String(), AnyJson)),
    steps: Type.Optional(Type.Record(Type.String(), AnyJson, { description: 'Outputs by id, or by path' })),
    onFailure: Type.Optional(
      Type.Object(
        {
          status: Type.Optional(oneOf('succeeded', 'failed')),
          steps: Type.Optional(Type.Record(Type.String(), AnyJson)),
          error: Type.Optional(Type.Record(Type.String(), AnyJson)),
        },
        { ...closed, description: 'What is done because the run failed' },
      ),
    ),
    requests: Type.Optional(Type.Array(ExpectedRequest, { description: 'Every request that was sent, in order' })),
    unordered: Type.Optional(Type.Boolean({ description: 'The requests may be sent in any order', default: false })),
  },
  closed,
)

const CallStub = Type.Object(
  {
    result: Type.Optional(Type.Unknown({ description: 'null by default' })),
    error: Type.Optional(Type.String({ minLength: 1, description: 'The called run fails with this message' })),
  },
  closed,
)
const Calls = Type.Record(Type.String(), CallStub, { description: 'How the calls of a step end, by its id' })

const CallbackStub = Type.Object(
  {
    after: Type.Optional(Type.Number({ minimum: 0, description: 'Seconds after the run begins to wait' })),
    body: Type.Optional(Type.Unknown({ description: 'What the outside system sends' })),
    headers: Type.Optional(Texts),
    answer: Type.Optional(Type.String({ description: 'What a person answers' })),
    fields: Type.Optional(Type.Record(Type.String(), AnyJson)),
  },
  closed,
)
const Callbacks = Type.Record(Type.String(), CallbackStub, {
  description: 'How the callbacks and approvals of a step are answered, by its id; others time out',
})

const delivered = {
  deliver: Type.Optional(Delivery),
  fire: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'For a schedule: the planned time, by its own clock unless it has an offset, such as 2027-03-28T02:30',
    }),
  ),
  input: Type.Optional(Type.Unknown({ description: 'What a flow that is called is given' })),
  calls: Type.Optional(Calls),
  callbacks: Type.Optional(Callbacks),
  stubs: Type.Optional(Type.Array(Stub)),
  expect: Type.Optional(Expected),
}

const Further = Type.Object(
  { after: Type.Optional(Type.Number({ minimum: 0, description: 'Seconds later' })), ...delivered },
  closed,
)

const Connection = Type.Object(
  {
    kind: Type.Optional(oneOf('basic', 'bearer', 'apiKey', 'digest', 'oauth2', 'jwt', 'aws', 'tls', 'custom')),
    fields: Type.Record(Type.String(), AnyJson),
    hosts: Type.Optional(Type.Array(Type.String())),
  },
  closed,
)

const surroundings = {
  now: Type.Optional(
    Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d(T.*)?$', description: 'When the first delivery arrives' }),
  ),
  env: Type.Optional(Texts),
  config: Type.Optional(Texts),
  connections: Type.Optional(Type.Record(Type.String(), Connection)),
}

const Case = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    ...surroundings,
    ...delivered,
    next: Type.Optional(Type.Array(Further, { description: 'More deliveries, to the same flow' })),
  },
  closed,
)

export const FixtureSchema = Type.Object(
  {
    flow: Type.Optional(
      Type.String({ minLength: 1, description: 'The file of the flow; by default the one beside this file' }),
    ),
    ...surroundings,
    stubs: Type.Optional(Type.Array(Stub, { description: 'For every test, after its own' })),
    tests: Type.Array(Case, { minItems: 1 }),
  },
  closed,
)

export type Fixture = Static<typeof FixtureSchema>
export type FixtureCase = Static<typeof Case>
export type FixtureDelivery = Static<typeof Delivery>
export type FixtureCalls = Static<typeof Calls>
export type FixtureCallbacks = Static<typeof Callbacks>
export type FixtureStub = Static<typeof Stub>
export type FixtureReply = Static<typeof StubReply>
export type FixtureConnection = Static<typeof Connection>
export type Expectation = Static<typeof Expected>

/** Returns the problems of a test's document; none: it is a Fixture. */
export function fixtureIssues(value: unknown): Issue[] {
  const findings = new Findings()
  const ignore = () => {}
  checkValue(FixtureSchema, value, '', findings, {
    template: ignore,
    steps: ignore,
    secret: ignore,
    connection: ignore,
  })
  return findings.all.map(({ path, code, message }) => ({ path, code, message }))
}

export const fixtureSchema = (): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Test of a Millrace flow',
  ...FixtureSchema,
})
