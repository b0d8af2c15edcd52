// The list of flows: what narrows it, and what it holds.
import Type from 'typebox'
import { FlowBody, FlowsQuery } from './bodies.ts'

export const FlowListQuery = Type.Object(
  {
    ...FlowsQuery.properties,
    tag: Type.Optional(Type.String({ maxLength: 200, description: 'A tag of the draft, whole and as it is spelled' })),
    draft: Type.Optional(Type.Boolean({ default: true, description: 'false leaves the drafts out of the list' })),
  },
  { additionalProperties: false },
)

export const ListedFlowBody = Type.Object({ ...FlowBody.properties, draft: Type.Optional(Type.Unknown()) })
