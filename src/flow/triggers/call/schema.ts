// Describes the trigger of a flow that is started on request: by another flow, over the API or by an assistant.
import Type, { type Static } from 'typebox'
import { TriggerCommon } from '../trigger-kind.ts'

export const CALL = 'call'

export const CallSettings = Type.Object(
  {
    kind: Type.Literal(CALL),
    input: Type.Optional(
      Type.Unknown({ description: 'A JSON Schema (2020-12) of the input. Any JSON is accepted without it.' }),
    ),
    mcp: Type.Optional(Type.Boolean({ default: false, description: 'Assistants get the flow as a tool of its own.' })),
    ...TriggerCommon,
  },
  { additionalProperties: false },
)

export type CallDocument = Static<typeof CallSettings>
