// A run, kept up to date while it is under way.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Run, RunStep } from '../api/api-types.ts'
import { keys, queries } from '../api/queries.ts'
import { useEvents } from '../api/use-events.ts'
import { isUnderWay } from './model/handling.ts'
import { mergeRunEvents, type RunEvent } from './model/live-run.ts'
import { isFinished } from './model/run-filter.ts'
import { concernsCallback } from './model/waits.ts'

const GATHER_MS = 150

export function useWatchedRun(id: string) {
  const client = useQueryClient()
  // The stream begins with the whole run: nothing has to be asked for again while it is open.
  const run = useQuery({ ...queries.run(id), staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false })
  const gathered = useRef<RunEvent<RunStep>[]>([])
  const handled = useRef(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
      gathered.current = []
    },
    [],
  )
  const under = run.data !== undefined && isUnderWay(run.data)
  useEvents(under ? `/runs/${id}/events` : null, ({ type, data }) => {
    // Its steps are not told one by one, nor are its callbacks: the run is read again.
    if (type === 'handled' || (type === 'step' && concernsCallback(data as RunStep))) handled.current = true
    if (type !== 'handled') gathered.current.push({ type, data } as RunEvent<RunStep>)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      const events = gathered.current
      gathered.current = []
      let ended = handled.current
      handled.current = false
      client.setQueryData<Run>(keys.run(id), (before) => {
        const after = before && mergeRunEvents<RunStep, Run>(before, events)
        ended ||= after !== undefined && isFinished(after.status)
        return after
      })
      // What no event carries, the variables for example, is read once it is final.
      if (ended) void client.invalidateQueries({ queryKey: keys.run(id), exact: true })
    }, GATHER_MS)
  })
  return run
}
