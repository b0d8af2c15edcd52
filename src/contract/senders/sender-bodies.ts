// What the API tells of senders, and what sending a sample of one is asked and answers.
import Type from 'typebox'
import { FIELD_NAMES } from '../../flow/senders/schema.ts'

const Text = Type.String()
const Maybe = Type.Union([Type.String(), Type.Null()])

export const SenderBody = Type.Object({
  name: Text,
  title: Text,
  aliases: Type.Array(Text),
  words: Type.Array(Text, { description: 'What people also type to find it' }),
  color: Text,
  letters: Text,
  fields: Type.Array(
    Type.Object({
      name: Type.Enum([...FIELD_NAMES]),
      label: Text,
      hint: Text,
      optional: Type.Optional(Type.Literal(true)),
      fromHandshake: Type.Optional(Type.Literal(true)),
    }),
    { description: 'What trigger.sender has to give' },
  ),
  console: Type.Array(Text, { description: 'What to do there, in order; {url} is the URL of the webhook' }),
  handshake: Type.Boolean({ description: 'Whether it asks for an answer before it sends events' }),
  handsOver: Type.Array(Text, { description: 'The fields that it hands over then' }),
  accept: Type.Array(Text),
  signs: Type.Union([Type.String(), Type.Null()], { description: 'null: it sends a token, or proves nothing' }),
  covers: Type.Object({ body: Type.Boolean(), time: Type.Boolean() }, { description: 'What the signature covers' }),
  events: Type.Array(Text, { description: 'The events of its samples' }),
  notes: Maybe,
})

export const SendersBody = Type.Object({ senders: Type.Array(SenderBody) })

const Texts = Type.Record(Type.String(), Type.String())

export const SenderWithSamplesBody = Type.Object({
  ...SenderBody.properties,
  samples: Type.Array(
    Type.Object({
      event: Text,
      headers: Type.Optional(Texts),
      body: Type.Optional(Type.Unknown()),
      form: Type.Optional(Texts),
      text: Type.Optional(Text),
      contentType: Type.Optional(Text),
      query: Type.Optional(Texts),
    }),
  ),
})

export const SendSampleRequest = Type.Object(
  {
    event: Type.Optional(Type.String({ maxLength: 1_000, description: 'The first one, if nothing is said' })),
    test: Type.Optional(Type.Boolean({ default: true, description: 'Whether it goes to the test URL' })),
    privateKey: Type.Optional(
      Type.String({
        maxLength: 10_000,
        description: 'Of a sender that signs with a key pair: the private key to sign with, in PEM; it is not kept',
      }),
    ),
  },
  { additionalProperties: false },
)

export const SentSampleBody = Type.Object({
  event: Text,
  status: Type.Integer({ description: 'What the webhook answered' }),
  body: Type.Unknown(),
  delivery: Type.Union([Type.String(), Type.Null()], {
    description: 'The delivery in the inbox; of a test, the sample that it became',
  }),
  runId: Maybe,
})
