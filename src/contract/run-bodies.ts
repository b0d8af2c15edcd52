// The bodies of requests that start runs, and what is asked of their files.
import Type from 'typebox'
import { RunErrorBody, RunStatus } from './bodies.ts'

const closed = { additionalProperties: false }

export const StartRunRequest = Type.Object(
  {
    input: Type.Optional(
      Type.Unknown({
        description: 'What the flow reads as input, by default null; or in place of the input of its schedule',
      }),
    ),
  },
  closed,
)

export const StartRunQuery = Type.Object(
  {
    wait: Type.Optional(
      Type.Number({ minimum: 0, maximum: 300, default: 0, description: 'Seconds to wait for the end of the run' }),
    ),
  },
  closed,
)

export const StartedRunBody = Type.Object({ id: Type.String(), status: RunStatus })

export const EndedRunBody = Type.Object({
  ...StartedRunBody.properties,
  result: Type.Optional(Type.Unknown({ description: 'The body of its respond step, else its variables' })),
  error: Type.Optional(Type.Union([RunErrorBody, Type.Null()], { description: 'Why it did not succeed' })),
})

export const CallableFlowBody = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.Union([Type.String(), Type.Null()]),
  description: Type.Union([Type.String(), Type.Null()]),
  mcp: Type.Boolean({ description: 'Whether assistants get it as a tool' }),
  input: Type.Unknown({ description: 'The JSON Schema of its input; null if it takes any' }),
})

export const FileQuery = Type.Object(
  { name: Type.Optional(Type.String({ maxLength: 300, description: 'Under which name to save the file' })) },
  closed,
)
