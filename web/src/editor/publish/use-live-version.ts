// The live version's document, and what the draft changes in it.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { queries } from '../../api/queries.ts'
import { type Change, diffFlows } from '../../flow-model/diff-flows.ts'
import type { EditedFlow } from '../../flow-model/flow-tree.ts'
import { withCalledFlows } from '../state/called-flows.ts'
import { useEditor } from '../state/editor-context.tsx'
import { useCalledFlows } from '../state/use-called-flows.ts'

export function useVersion(flowId: string, version: number | null) {
  return useQuery(queries.version(flowId, version))
}

/** Null while nothing is live, or it is not known yet. */
export function useLiveChanges(): Change[] | null {
  const { flow, document } = useEditor()
  return useChanges(useVersion(flow.id, flow.published?.version ?? null).data?.document, document)
}

/** What a draft changes in a version. The same flow may be called by its slug in the one and by its id in the other. */
export function useChanges(version: EditedFlow | undefined, draft: EditedFlow): Change[] | null {
  const called = useCalledFlows(draft)
  return useMemo(() => {
    if (!version) return null
    const named = (flow: string) => called(flow)?.slug ?? flow
    return diffFlows(withCalledFlows(version, named), withCalledFlows(draft, named))
  }, [version, draft, called])
}
