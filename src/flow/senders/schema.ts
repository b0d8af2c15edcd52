// Describes the file of a sender (senders/*.json): how it proves itself, what it asks first, and what a person does there.
import Type, { type Static } from 'typebox'
import { HMAC_ALGORITHMS, KEY_PAIR_ALGORITHMS } from '../../base/signing/algorithm-names.ts'

const closed = { additionalProperties: false }

const line = (description?: string) => Type.String({ minLength: 1, maxLength: 1_000, description })
const template = (description: string) => Type.String({ minLength: 1, maxLength: 2_000, description })
const oneOf = <const T extends readonly string[]>(names: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: names, ...options })

/** What a person may have to give, and nothing else: forms and commands know these names. */
export const FIELD_NAMES = ['secret', 'verifyToken', 'publicKey', 'user', 'password', 'url'] as const
export type FieldName = (typeof FIELD_NAMES)[number]

const Field = Type.Object(
  {
    name: oneOf(FIELD_NAMES),
    label: line('As the sender calls it.'),
    hint: line('Where it is found in the console of the sender.'),
    optional: Type.Optional(Type.Literal(true)),
    fromHandshake: Type.Optional(Type.Literal(true, { description: 'The sender hands it over in its handshake.' })),
  },
  closed,
)

const Entries = Type.Object(
  {
    between: Type.String({
      minLength: 1,
      maxLength: 3,
      description: 'Parts the entries; white space around it is ignored.',
    }),
    within: Type.String({ minLength: 1, maxLength: 3, description: 'Parts the name of an entry from its value.' }),
    signature: line('The name of the entries that are signatures; other names are ignored.'),
    time: Type.Optional(line('The name of the one entry that is the time: templates read it as signature.time.')),
  },
  { ...closed, description: 'How one header holds several values.' },
)

const SignatureAuth = Type.Object(
  {
    kind: Type.Literal('signature'),
    algorithm: oneOf([...HMAC_ALGORITHMS, ...KEY_PAIR_ALGORITHMS] as const, {
      description: 'sha…: an HMAC with fields.secret; the others verify with fields.publicKey.',
    }),
    encoding: oneOf(['hex', 'base64'] as const),
    key: Type.Optional(
      oneOf(['text', 'hex', 'base64', 'whsec'] as const, { default: 'text', description: 'The form of the secret.' }),
    ),
    header: Type.Optional(
      Type.Union([line(), Type.Array(line(), { minItems: 1, maxItems: 10 })], {
        description: 'The header with the signature; of several names, one that fits is enough.',
      }),
    ),
    repeats: Type.Optional(Type.Literal(true, { description: 'The sender sends the header once per signature.' })),
    given: Type.Optional(template('In place of a header: the signature out of the body or the query.')),
    prefix: Type.Optional(
      Type.Union([line(), Type.Array(Type.String({ maxLength: 40 }), { minItems: 2, maxItems: 4 })], {
        description: 'What stands before the signature; of a list, one of them, where "" is nothing.',
      }),
    ),
    entries: Type.Optional(Entries),
    signed: template('What is signed. The received bytes are taken where {{ webhook.rawBody }} stands.'),
    timestamp: Type.Optional(template('The time, which is signed too: seconds, milliseconds or ISO 8601.')),
    tolerance: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 86_400, default: 300 })),
  },
  closed,
)

/** A check of who sends. `fields` are what the flow gives under `sender`. */
const SenderAuth = Type.Union([
  Type.Object({ kind: Type.Literal('none') }, closed),
  Type.Object({ kind: Type.Literal('header'), name: line(), value: template('What it has to be.') }, closed),
  Type.Object({ kind: Type.Literal('query'), name: line(), value: template('What it has to be.') }, closed),
  Type.Object(
    { kind: Type.Literal('basic'), user: template('The user name.'), password: template('The password.') },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('body'),
      given: template('The token out of the body; of a list, every one has to fit.'),
      value: template('What it has to be.'),
    },
    closed,
  ),
  SignatureAuth,
])

const HeaderList = Type.Array(Type.Object({ name: line(), value: template('The value.') }, closed), { maxItems: 20 })

const Handshake = Type.Object(
  {
    signed: Type.Boolean({ description: 'Whether it comes after authentication.' }),
    method: oneOf(['GET', 'HEAD', 'POST'] as const),
    when: template('The condition: a request for which it is false goes its usual way.'),
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 299, default: 200 })),
    headers: Type.Optional(HeaderList),
    contentType: Type.Optional(line('application/json, if nothing is said.')),
    body: Type.Optional(
      Type.Unknown({ description: 'Any JSON value with templates; text, where contentType is no JSON.' }),
    ),
    keep: Type.Optional(
      Type.Unsafe<Partial<Record<FieldName, string>>>({
        type: 'object',
        propertyNames: { enum: FIELD_NAMES },
        additionalProperties: { type: 'string', minLength: 1 },
        description: 'Fields that the sender hands over here; they are sealed into the connection that the flow names.',
      }),
    ),
  },
  closed,
)

const Sample = Type.Object(
  {
    event: line('As the template of the event gives it.'),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'Without those of the signature.' }),
    ),
    body: Type.Optional(
      Type.Unknown({ description: 'A JSON body; texts may hold templates: {{ uuid() }}, {{ now() }}.' }),
    ),
    form: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'In place of body: a form.' })),
    text: Type.Optional(Type.String({ description: 'In place of body: any text.' })),
    contentType: Type.Optional(line('Where the kind of body does not say it.')),
    query: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  closed,
)

export const SenderFile = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    name: Type.String({ pattern: '^[a-z][a-z0-9-]{0,39}$', description: 'The name of the file too.' }),
    title: line(),
    aliases: Type.Array(Type.String({ pattern: '^[a-z][a-z0-9-]{0,39}$' })),
    words: Type.Array(line(), { description: 'What people also type to find it.' }),
    color: Type.String({ pattern: '^#[0-9a-f]{6}$' }),
    letters: Type.String({ pattern: '^[A-Z][A-Za-z0-9]?$' }),
    fields: Type.Array(Field, { maxItems: 6 }),
    console: Type.Array(line(), {
      minItems: 1,
      description: 'What to do there, in order; {url} is the URL of the webhook.',
    }),
    auth: Type.Union([
      SenderAuth,
      Type.Array(SenderAuth, { minItems: 2, maxItems: 4, description: 'All have to hold.' }),
    ]),
    handshake: Type.Optional(Type.Array(Handshake, { minItems: 1, maxItems: 5 })),
    accept: Type.Array(line(), { minItems: 1 }),
    dedupe: Type.Union([template('The key of a delivery.'), Type.Null()]),
    event: Type.Union([template('The type of the event, as text.'), Type.Null()]),
    samples: Type.Array(Sample, { minItems: 1, maxItems: 10 }),
    source: line('Where the sender documents this: the name of the page.'),
    notes: Type.Optional(line('One sentence for the documentation.')),
  },
  closed,
)

export type Sender = Static<typeof SenderFile>
export type SenderAuthDocument = Static<typeof SenderAuth>
export type SenderSignature = Static<typeof SignatureAuth>
export type SenderHandshake = Static<typeof Handshake>
export type SenderSample = Static<typeof Sample>

/** The senders that there are. Only the file of the sender that is asked for is read. */
export interface Senders {
  /** Returns the sender of this name or alias; null if there is none. */
  find(name: string): Sender | null
  names(): readonly string[]
}

export const NO_SENDERS: Senders = { find: () => null, names: () => [] }

/** Returns the JSON Schema of the files, for editors. */
export const senderSchema = (): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Millrace sender',
  ...SenderFile,
})
