// The names of the flows that a flow calls: its cards show them in place of ids.
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { queries } from '../../api/queries.ts'
import { allSteps, type EditedFlow } from '../../flow-model/flow-tree.ts'
import { stepKind } from '../../step-kinds/index.ts'

/** Returns a flow's name by its id or slug; what is not known stays as it is. */
export function useCalledFlows(document: EditedFlow): (flow: string) => string {
  const calls = useMemo(
    () =>
      (document.onFailure !== undefined && !Array.isArray(document.onFailure)) ||
      allSteps(document).some(({ step }) => stepKind(step.kind).calls?.(step)),
    [document],
  )
  const flows = useQuery({ ...queries.callableFlows, enabled: calls }).data?.items
  return useCallback((flow) => flows?.find(({ id, slug }) => flow === id || flow === slug)?.name ?? flow, [flows])
}
