// The settings of an HTTP request, as docs/http-request.md#fields lists them.
import Type, { type Static } from 'typebox'
import { XmlLists } from '../../flow/formats/xml-lists-schema.ts'
import { connectionName, json, NameValueList, secretText, templated, text, urlText } from '../../flow/schema.ts'

const closed = { additionalProperties: false }

function oneOf<const T extends readonly string[]>(
  values: T,
  options: { default?: T[number]; description?: string } = {},
): Type.TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      options,
    ),
  )
}

const JsonBody = Type.Object(
  { kind: Type.Literal('json'), value: json('Sent as JSON; it may contain templates anywhere.') },
  closed,
)

const FormFields = Type.Array(
  Type.Object(
    {
      name: text({ minLength: 1 }),
      value: Type.Optional(text()),
      file: Type.Optional(json('A file in place of a value, such as {{ webhook.files.invoice }}; multipart only.')),
      filename: Type.Optional(text({ description: 'The name that the file is sent with; by default its own.' })),
      contentType: Type.Optional(text({ minLength: 1, description: 'The type of the file; by default its own.' })),
    },
    closed,
  ),
  { maxItems: 1_000 },
)

const FileBody = Type.Object(
  {
    kind: Type.Literal('file'),
    value: json('A file, such as {{ webhook.files.invoice }}; its bytes are sent.'),
    contentType: Type.Optional(text({ minLength: 1, description: 'By default the type of the file.' })),
  },
  closed,
)

const FormBody = Type.Object(
  {
    kind: Type.Literal('form'),
    fields: FormFields,
    multipart: Type.Optional(
      Type.Boolean({ default: false, description: 'multipart/form-data in place of urlencoded.' }),
    ),
  },
  closed,
)

const TextBody = Type.Object(
  {
    kind: Type.Literal('text'),
    value: text(),
    contentType: Type.Optional(
      text({ minLength: 1, description: 'Default text/plain. A charset in it is the one that is sent.' }),
    ),
  },
  closed,
)

const XmlBody = Type.Object(
  {
    kind: Type.Literal('xml'),
    value: json('An object with one key, the root element; @name is an attribute, #text the text beside attributes.'),
    contentType: Type.Optional(text({ minLength: 1, description: 'Default application/xml; SOAP takes text/xml.' })),
  },
  closed,
)

/** How the reply is read, where its type is not to decide. */
const ReplyReading = Type.Object(
  {
    as: oneOf(['xml', 'file'], {
      description:
        'xml: the body is parsed as XML, whatever its type says; file: it is a file, which is never in memory.',
    }),
    lists: Type.Optional(XmlLists),
  },
  closed,
)

// Some APIs take their key as the user name, with no password.
const Password = Type.Unsafe<string>({ ...secretText('May be empty.'), minLength: 0 })

const Auth = Type.Union([
  Type.Object({ kind: Type.Literal('none') }, closed),
  Type.Object({ kind: Type.Literal('basic'), username: text(), password: Password }, closed),
  Type.Object(
    {
      kind: Type.Literal('bearer'),
      token: secretText('Sent as `Authorization: Bearer <token>`; the word Bearer is added.'),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('apiKey'),
      name: text({ minLength: 1, description: 'For example X-API-Key or api_key.' }),
      value: secretText(),
      in: Type.Optional(oneOf(['header', 'query'], { default: 'header' })),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('oauth2'),
      connection: connectionName(['oauth2']),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('connection'),
      connection: connectionName(['basic', 'bearer', 'apiKey', 'digest', 'oauth2', 'jwt', 'aws', 'tls']),
    },
    closed,
  ),
])

export const HttpSettings = Type.Object(
  {
    method: oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']),
    url: urlText(),
    headers: Type.Optional(NameValueList),
    query: Type.Optional(NameValueList),
    body: Type.Optional(Type.Union([JsonBody, FormBody, XmlBody, TextBody, FileBody])),
    compress: Type.Optional(oneOf(['gzip'], { description: 'Compresses the body, and says so in Content-Encoding.' })),
    auth: Type.Optional(Auth),
    tls: Type.Optional(
      Type.Object(
        { connection: connectionName(['tls']) },
        { ...closed, description: 'The client certificate and the authorities to use; by default those of auth.' },
      ),
    ),
    response: Type.Optional(ReplyReading),
    timeout: Type.Optional(
      templated(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: 300,
          default: 30,
          description: 'Seconds for the whole request, from connecting to the last byte of the reply.',
        }),
      ),
    ),
    followRedirects: Type.Optional(Type.Boolean({ default: true, description: 'At most 10 redirects.' })),
    cookies: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Cookies that a redirect sets are sent to the same host by the redirects that follow.',
      }),
    ),
    failOnError: Type.Optional(Type.Boolean({ default: true, description: 'A 4xx or 5xx reply fails the step.' })),
    idempotencyKey: Type.Optional(
      Type.Boolean({ default: false, description: 'Sends an Idempotency-Key that is the same on every resend.' }),
    ),
    onInterrupt: Type.Optional(
      oneOf(['resend', 'fail'], {
        default: 'resend',
        description: 'After a crash between send and reply: send again, or fail as outcome_unknown.',
      }),
    ),
  },
  closed,
)

export type HttpSettings = Static<typeof HttpSettings>
