// The steps of rounds that lie beyond what a run shows of itself, read when a round is looked at.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../api-client.ts'
import type { Page, Run, RunStep } from '../api-types.ts'
import { keys } from '../queries.ts'
import { MOST_STEPS } from './model/live-run.ts'
import { roundPath, roundsAlong } from './model/step-path.ts'

export function useRoundSteps(run: Run, selected: string | null) {
  // The innermost one: what is around it began before it.
  const [round] = selected === null ? [] : [...roundsAlong(selected).values()]
  const under = round ? `${roundPath(round)}/` : ''
  const partial = run.steps.length >= MOST_STEPS
  const known = useMemo(() => run.steps.some(({ path }) => under !== '' && path.startsWith(under)), [run.steps, under])
  const query = useInfiniteQuery({
    queryKey: [...keys.run(run.id), 'steps', under],
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<RunStep>>(`/runs/${run.id}/steps`, { query: { under, limit: 200, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    enabled: partial && under !== '' && !known,
  })
  const steps = useMemo(() => {
    const read = query.data?.pages.flatMap(({ items }) => items) ?? []
    if (read.length === 0) return run.steps
    const own = new Set(run.steps.map(({ path }) => path))
    return [...run.steps, ...read.filter(({ path }) => !own.has(path))]
  }, [run.steps, query.data])
  return { steps, query }
}
