// The open approvals, read again when a run begins to wait or goes on.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Approval, RunSummary } from '../api/api-types.ts'
import { keys } from '../api/queries.ts'
import { useEvents } from '../api/use-events.ts'

const GATHER_MS = 500

export function useLiveApprovals(shown: readonly Approval[]): void {
  const client = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const read = () => void client.invalidateQueries({ queryKey: keys.approvals })
  const onEvent = ({ type, data }: { type: string; data: unknown }) => {
    if (type !== 'run') return
    const { id, status } = data as Pick<RunSummary, 'id' | 'status'>
    // Other runs neither ask anything nor did.
    if (status !== 'waiting' && !shown.some(({ run }) => run === id)) return
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      read()
    }, GATHER_MS)
  }
  useEvents('/events', onEvent, read, read)
}
