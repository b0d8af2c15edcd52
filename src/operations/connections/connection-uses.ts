// Finds which flows use which connection, and which of its fields.
import { CODE } from '../../base/error-catalogue.ts'
import type { Issue } from '../../flow/issue.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { type ConnectionShapes, type ConnectionUse, useProblem } from '../../flow/validate/connection-use.ts'
import { connectionUses } from '../../flow/validate/validate.ts'
import { OperationError } from '../operation-error.ts'
import type { ConnectionServices } from './services.ts'

export interface FlowUses {
  id: string
  name: string
  draft: ConnectionUse[]
  /** The uses in the live version. */
  live: ConnectionUse[]
}

/** Returns the flows that use one connection, or any if it is null. */
export async function flowsUsing({ flows, kinds }: ConnectionServices, connection: string | null): Promise<FlowUses[]> {
  const usesIn = (document: string | null) =>
    document === null
      ? []
      : connectionUses(parseJson(document), kinds).filter(({ name }) => connection === null || name === connection)
  const holding = await flows.holding(connection ?? 'connection')
  return holding
    .map(({ id, name, draft, live }) => ({ id, name, draft: usesIn(draft), live: usesIn(live) }))
    .filter(({ draft, live }) => draft.length > 0 || live.length > 0)
}

/** Throws if a live flow would refer to something that is missing after the change. */
export function refuseIfMissed(uses: FlowUses[], name: string, shapes: ConnectionShapes): void {
  const broken = uses.filter(({ live }) =>
    live.some((use) => use.name === name && useProblem(use, shapes, () => '', null)),
  )
  if (broken.length === 0) return
  const issues: Issue[] = broken.map((flow) => ({ path: `/flows/${flow.id}`, code: 'in_use', message: flow.name }))
  const list = broken.map((flow) => `"${flow.name}" (${flow.id})`).join(', ')
  throw new OperationError(
    CODE.conflict,
    shapes.has(name)
      ? `Published flows need what this change takes from the connection "${name}": ${list}. Change and publish them first.`
      : `The connection "${name}" is used by published flows: ${list}. Change or unpublish them first.`,
    issues,
  )
}
