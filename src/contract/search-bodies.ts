// What a search over runs, deliveries, labels and flows is asked and answers.
import Type from 'typebox'
import { InboxEntryBody, RunSummaryBody } from './bodies.ts'

export const SearchQuery = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'A run id, a delivery id, the beginning of a label value, or part of the name of a flow',
    }),
  },
  { additionalProperties: false },
)

export const SearchBody = Type.Object({
  runs: Type.Array(RunSummaryBody, {
    description: 'With this id, or with a label of exactly this value, newest first',
  }),
  deliveries: Type.Array(InboxEntryBody),
  labels: Type.Array(
    Type.Object({ name: Type.String(), value: Type.String(), run: Type.String({ description: 'The newest with it' }) }),
    { description: 'Labels of runs whose value begins like this' },
  ),
  flows: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), slug: Type.Union([Type.String(), Type.Null()]) }),
  ),
})
