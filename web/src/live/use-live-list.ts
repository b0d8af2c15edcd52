// A paged list that keeps itself up to date from the stream of events, and holds still while somebody reads.
import {
  type InfiniteData,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { startTransition, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Page, ServerEvent } from '../api/api-types.ts'
import { useEvents } from '../api/use-events.ts'
import { mergeLive } from './live-list.ts'

/** Events come in crowds; the list is drawn once for each crowd. */
const GATHER_MS = 200
/** From here on the list is read again from its beginning. */
const REREAD_AT = 1000
/** What comes beyond this is not kept: somebody reads, and it is read again afterwards. */
const MOST_LIVE = 2000

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
  const [held, setHeld] = useState<readonly T[] | null>(null)
  const heldIds = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    heldIds.current = new Set(held?.map(({ id }) => id))
  }, [held])
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

  const { refetch } = list
  const key = useRef(query.queryKey)
  const rereading = useRef(false)
  /** What was told before the reading began is in what is read. */
  const refresh = useCallback(
    async (fromTheBeginning: boolean) => {
      if (rereading.current) return
      rereading.current = true
      const told = latest.current
      if (fromTheBeginning)
        client.setQueryData<Pages<T>>(
          key.current,
          (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
        )
      const { isSuccess } = await refetch().finally(() => {
        rereading.current = false
      })
      if (isSuccess) setLive((current) => new Map([...current].filter(([id, item]) => told.get(id) !== item)))
    },
    [client, refetch],
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
        // All rows change at once: they are drawn in short turns, between which the page answers.
        startTransition(() =>
          setLive((current) => {
            const next = new Map(current)
            for (const [id, told] of crowd)
              if (next.size < MOST_LIVE || next.has(id) || heldIds.current.has(id)) next.set(id, told)
            return next
          }),
        )
      }, GATHER_MS)
    },
    () => void refresh(false),
    // What happened between the first reading and the opening of the stream.
    () => void refresh(false),
  )

  const many = live.size >= REREAD_AT
  useEffect(() => {
    if (many && held === null) void refresh(true)
  }, [many, held, refresh])

  const loaded = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const { rows, unseen } = useMemo(
    () => mergeLive({ loaded, live, matches, complete: !list.hasNextPage, held, later }),
    [loaded, live, matches, list.hasNextPage, held, later],
  )
  const shown = useRef(rows)
  useEffect(() => {
    shown.current = rows
  }, [rows])
  const isEmpty = rows.length === 0
  return {
    list,
    rows,
    unseen,
    /** More came than are kept: the count is not all of them. */
    unseenIsLess: live.size >= MOST_LIVE && unseen > 0,
    /** Holds the rows that are shown; where there are none yet, the first that come. */
    hold: useCallback(() => setHeld((before) => before ?? (isEmpty ? null : shown.current)), [isEmpty]),
    follow: useCallback(() => setHeld(null), []),
  }
}
