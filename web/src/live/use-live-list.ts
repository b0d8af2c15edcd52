// A paged list that keeps itself up to date from the stream of events, and holds still while somebody reads.
import {
  type InfiniteData,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Page, ServerEvent } from '../api/api-types.ts'
import { useEvents } from '../api/use-events.ts'
import { mergeLive } from './live-list.ts'

/** Events come in crowds; the list is drawn once for each crowd. */
const GATHER_MS = 200
/** Beyond this the list is read again from its beginning. */
const MOST_LIVE = 1000

type Pages<T> = InfiniteData<Page<T>>

interface LiveListOptions<T> {
  query: UseInfiniteQueryOptions<Page<T>, Error, Pages<T>, readonly unknown[], string | null>
  /** What an event says about a thing of this list; null: nothing. */
  itemOf: (event: ServerEvent) => T | null
  matches: (item: T) => boolean
  later: (loaded: T, told: T) => T
}

export function useLiveList<T extends { id: string }>({ query, itemOf, matches, later }: LiveListOptions<T>) {
  const client = useQueryClient()
  const list = useInfiniteQuery({ ...query, refetchOnWindowFocus: false })
  const [live, setLive] = useState<ReadonlyMap<string, T>>(new Map())
  const [heldAbove, setHeldAbove] = useState<string | null>(null)
  const gathered = useRef(new Map<string, T>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  const latest = useRef(live)
  useEffect(() => {
    latest.current = live
  }, [live])

  const key = query.queryKey
  const { refetch } = list
  /** What was told before the reading began is in what is read. */
  const refresh = useCallback(
    async (fromTheBeginning: boolean) => {
      const told = latest.current
      if (fromTheBeginning)
        client.setQueryData<Pages<T>>(
          key,
          (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
        )
      const { isSuccess } = await refetch()
      if (isSuccess) setLive((current) => new Map([...current].filter(([id, item]) => told.get(id) !== item)))
    },
    [client, key, refetch],
  )

  useEvents(
    '/events',
    (event) => {
      const item = itemOf(event)
      if (!item) return
      gathered.current.set(item.id, item)
      timer.current ??= setTimeout(() => {
        timer.current = undefined
        const crowd = gathered.current
        gathered.current = new Map()
        setLive((current) => {
          const next = new Map(current)
          for (const [id, told] of crowd) if (next.has(id) || next.size < MOST_LIVE) next.set(id, told)
          return next
        })
      }, GATHER_MS)
    },
    () => void refresh(false),
    // What happened between the first reading and the opening of the stream.
    () => void refresh(false),
  )

  const full = live.size >= MOST_LIVE
  useEffect(() => {
    if (full && heldAbove === null) void refresh(true)
  }, [full, heldAbove, refresh])

  const loaded = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const { rows, unseen } = useMemo(
    () => mergeLive({ loaded, live, matches, complete: !list.hasNextPage, heldAbove, later }),
    [loaded, live, matches, list.hasNextPage, heldAbove, later],
  )
  const newest = rows[0]?.id
  return {
    list,
    rows,
    unseen,
    /** More came than are kept: the count is not all of them. */
    unseenIsLess: full && unseen > 0,
    holding: heldAbove !== null,
    hold: useCallback(() => setHeldAbove((held) => held ?? newest ?? null), [newest]),
    follow: useCallback(() => setHeldAbove(null), []),
  }
}
