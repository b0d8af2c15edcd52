// What an error of the API looks like. Apart from the codes, which the command line needs and which must cost it nothing.
import Type from 'typebox'

export const IssueBody = Type.Object({
  path: Type.String({ description: 'JSON Pointer into the document' }),
  code: Type.String(),
  message: Type.String(),
})

export const ErrorBody = Type.Object({
  status: Type.Literal('error'),
  code: Type.String(),
  message: Type.String(),
  requestId: Type.String(),
  issues: Type.Optional(Type.Array(IssueBody)),
})
