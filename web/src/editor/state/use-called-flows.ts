// The flows that a flow calls, as people know them.
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { CallableFlow } from '../../api/api-types.ts'
import { queries } from '../../api/queries.ts'
import type { EditedFlow } from '../../flow-model/flow-tree.ts'
import { callsFlows } from './called-flows.ts'

/** Returns what finds a flow by its id or slug. */
export function useCalledFlows(document: EditedFlow): (flow: string) => CallableFlow | undefined {
  const calls = useMemo(() => callsFlows(document), [document])
  const flows = useQuery({ ...queries.callableFlows, enabled: calls }).data?.items
  return useCallback((flow) => flows?.find(({ id, slug }) => flow === id || flow === slug), [flows])
}
