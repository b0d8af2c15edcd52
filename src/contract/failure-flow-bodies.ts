// The bodies of the flow that is called when runs fail.
import Type from 'typebox'

export const FailureFlowRequest = Type.Object(
  {
    flow: Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()], {
      description: 'The id or slug of a published flow whose trigger has the kind call; null: none',
    }),
  },
  { additionalProperties: false },
)

export const FailureFlowBody = Type.Object({
  flow: Type.Union([
    Type.Object({ id: Type.String(), name: Type.String(), slug: Type.Union([Type.String(), Type.Null()]) }),
    Type.Null(),
  ]),
})
