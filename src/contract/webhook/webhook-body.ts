// What a delivery brought, with the files that came with it.
import Type from 'typebox'

const FileValueBody = Type.Object(
  {
    file: Type.String({ description: 'The id of the file' }),
    name: Type.Union([Type.String(), Type.Null()]),
    contentType: Type.String(),
    size: Type.Integer(),
    sha256: Type.String(),
  },
  { description: 'A file, without its bytes' },
)

export const WebhookBody = Type.Object({
  body: Type.Unknown(),
  headers: Type.Record(Type.String(), Type.String()),
  query: Type.Record(Type.String(), Type.String()),
  queryAll: Type.Record(Type.String(), Type.Array(Type.String())),
  rawBody: Type.String(),
  metadata: Type.Unknown(),
  files: Type.Optional(
    Type.Record(Type.String(), Type.Union([FileValueBody, Type.Array(FileValueBody)]), {
      description: 'The files of a form, by their field',
    }),
  ),
  file: Type.Optional(FileValueBody),
  bodyOmitted: Type.Optional(
    Type.Literal(true, { description: 'The body is too large to be shown: body is null, rawBody empty' }),
  ),
  dataDeleted: Type.Optional(
    Type.Literal(true, { description: 'The flow does not keep the data: body, headers and query are empty' }),
  ),
})
