// The live version's document, and what the draft changes in it.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../api/api-client.ts'
import type { VersionWithDocument } from '../../api/api-types.ts'
import { keys } from '../../api/queries.ts'
import { type Change, diffFlows } from '../../flow-model/diff-flows.ts'
import { useEditor } from '../state/editor-context.tsx'

export function useVersion(flowId: string, version: number | null) {
  return useQuery({
    queryKey: [...keys.versions(flowId), version],
    queryFn: ({ signal }) => api.get<VersionWithDocument>(`/flows/${flowId}/versions/${version}`, { signal }),
    enabled: version !== null,
    // A published version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Null while nothing is live, or it is not known yet. */
export function useLiveChanges(): Change[] | null {
  const { flow, document } = useEditor()
  const live = useVersion(flow.id, flow.published?.version ?? null).data
  return useMemo(() => (live ? diffFlows(live.document, document) : null), [live, document])
}
