// The flows that a limited token reaches, and keeps within reach.
import { CODE } from '../../base/error-catalogue.ts'
import { isWithin } from '../../base/flow-limit.ts'
import { tagsOf } from '../../flow/document.ts'
import { OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { FlowStore } from '../ports/flows.ts'

export type Limited = Pick<Actor, 'limit'>

/** Returns the ids of the flows that the actor reaches at this moment; null: all. */
export async function reachOf(
  { flows }: { flows: Pick<FlowStore, 'idsWith'> },
  { limit }: Limited,
): Promise<readonly string[] | null> {
  return limit && [...new Set([...limit.flows, ...(await flows.idsWith(limit.tags))])]
}

/** Rejects a draft with which the flow would leave the reach of the actor. `id`: null if the flow is new. */
export function requireStay({ limit }: Limited, id: string | null, document: unknown): void {
  if (!limit || isWithin(limit, id, tagsOf(document))) return
  throw new OperationError(
    CODE.forbidden,
    limit.tags.length
      ? `This token is limited: the flow must have one of the tags ${limit.tags.join(', ')}.`
      : 'This token is limited to flows that exist: it cannot create one.',
  )
}
