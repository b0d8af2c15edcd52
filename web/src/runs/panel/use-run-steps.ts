// The steps of a run, with those that lie beyond what it shows of itself: of the round that is looked at, and of what came after large loops.
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../api/api-client.ts'
import type { FlowDocument, Page, Run, RunStep } from '../../api/api-types.ts'
import { keys } from '../../api/queries.ts'
import { MOST_STEPS } from '../model/live-run.ts'
import { roundPath, roundsAlong } from '../model/step-path.ts'

const PAGE = 200

function read(run: Run, under: string, cursor: string | null, signal: AbortSignal): Promise<Page<RunStep>> {
  return api.get<Page<RunStep>>(`/runs/${run.id}/steps`, { query: { under, limit: PAGE, cursor }, signal })
}

export function useRunSteps(run: Run, document: FlowDocument | undefined, selected: string | null) {
  const partial = run.steps.length >= MOST_STEPS
  const round = useRound(run, partial, selected)
  const missing = useMemo(() => {
    if (!partial || !document) return []
    const begun = new Set(run.steps.map(({ path }) => path))
    return document.steps.map(({ id }) => id).filter((id) => !begun.has(id))
  }, [run.steps, partial, document])
  const later = useQueries({
    queries: missing.map((id) => ({
      queryKey: [...keys.run(run.id), 'steps', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(run, id, null, signal),
    })),
    combine: (results) => results.flatMap(({ data }) => data?.items ?? []),
  })
  const steps = useMemo(() => {
    const others = [...(round.data?.pages.flatMap(({ items }) => items) ?? []), ...later]
    if (others.length === 0) return run.steps
    const known = new Set(run.steps.map(({ path }) => path))
    return [...run.steps, ...others.filter(({ path }) => !known.has(path) && known.add(path))]
  }, [run.steps, round.data, later])
  return { steps, round }
}

function useRound(run: Run, partial: boolean, selected: string | null) {
  // The innermost one: what is around it began before it.
  const [place] = selected === null ? [] : [...roundsAlong(selected).values()]
  const under = place ? `${roundPath(place)}/` : ''
  const known = useMemo(() => run.steps.some(({ path }) => under !== '' && path.startsWith(under)), [run.steps, under])
  return useInfiniteQuery({
    queryKey: [...keys.run(run.id), 'steps', under],
    queryFn: ({ pageParam, signal }) => read(run, under, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    enabled: partial && under !== '' && !known,
  })
}
