// The live version's document, and what the draft changes in it.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { queries } from '../../api/queries.ts'
import { type Change, diffFlows } from '../../flow-model/diff-flows.ts'
import { useEditor } from '../state/editor-context.tsx'

export function useVersion(flowId: string, version: number | null) {
  return useQuery(queries.version(flowId, version))
}

/** Null while nothing is live, or it is not known yet. */
export function useLiveChanges(): Change[] | null {
  const { flow, document } = useEditor()
  const live = useVersion(flow.id, flow.published?.version ?? null).data
  return useMemo(() => (live ? diffFlows(live.document, document) : null), [live, document])
}
