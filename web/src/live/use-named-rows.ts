// The stream of events does not know the names of flows: they are filled in from the list of flows.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { queries } from '../api/queries.ts'

interface OfFlow {
  flowId: string
  flowName: string | null
}

export function useNamedRows<T extends OfFlow>(rows: readonly T[]): T[] {
  const { data: flows, refetch } = useQuery(queries.flows)
  const names = useMemo(() => new Map(flows?.map(({ id, name }) => [id, name])), [flows])
  // A flow that was made since the names were read, or is gone.
  const unknown = rows.find(({ flowId, flowName }) => flowName === null && !names.has(flowId))?.flowId
  useEffect(() => {
    if (unknown !== undefined) void refetch()
  }, [unknown, refetch])
  return useMemo(
    () =>
      rows.map((row) =>
        row.flowName === null && names.has(row.flowId) ? { ...row, flowName: names.get(row.flowId)! } : row,
      ),
    [rows, names],
  )
}

/** What was loaded has the name that what was told lacks. */
export const keepingName = <T extends OfFlow>(loaded: T, later: T): T =>
  later.flowName === null && loaded.flowName !== null ? { ...later, flowName: loaded.flowName } : later
