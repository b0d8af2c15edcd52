// The bodies of tests of a draft: what they are given, what came of them, and the results that are pinned.
import Type from 'typebox'
import { RunErrorBody } from './bodies.ts'
import { GivenSchedule } from './schedule-bodies.ts'

const closed = { additionalProperties: false }
const AnyJson = Type.Unknown()

const GivenInput = Type.Unknown({ description: 'For a flow that is called; null by default' })

const GivenWebhook = Type.Object(
  {
    body: Type.Optional(AnyJson),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    query: Type.Optional(Type.Record(Type.String(), Type.String())),
    queryAll: Type.Optional(AnyJson),
    rawBody: Type.Optional(Type.String()),
    metadata: Type.Optional(AnyJson),
  },
  closed,
)

export const FlowTestRequest = Type.Object(
  { webhook: Type.Optional(GivenWebhook), schedule: Type.Optional(GivenSchedule), input: Type.Optional(GivenInput) },
  closed,
)
export const StepTestRequest = Type.Object(
  {
    webhook: Type.Optional(GivenWebhook),
    schedule: Type.Optional(GivenSchedule),
    input: Type.Optional(GivenInput),
    steps: Type.Optional(Type.Record(Type.String(), AnyJson)),
    vars: Type.Optional(Type.Record(Type.String(), AnyJson)),
    rounds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 3, description: 'Of a loop: how many of its rounds to run' }),
    ),
  },
  closed,
)
export const PinRequest = Type.Object({ output: AnyJson }, closed)

export const StepTestBody = Type.Object({
  status: Type.Enum(['succeeded', 'failed']),
  input: AnyJson,
  output: AnyJson,
  error: Type.Union([RunErrorBody, Type.Null()]),
  logs: Type.Array(Type.String(), { description: 'What code steps wrote with console.log' }),
  durationMs: Type.Number(),
})

export const TestResultsBody = Type.Object({
  steps: Type.Record(Type.String(), AnyJson),
  pinned: Type.Array(Type.String(), { description: 'The steps whose result is pinned' }),
})
