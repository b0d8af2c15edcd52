// Server-sent events of a run, a flow or everything. A hidden page lets go of its stream: a browser has only six connections per host.
import { useEffect, useRef } from 'react'
import { parseJson } from '../../../src/flow/json/parse-json.ts'
import { urlOf } from './api-client.ts'
import type { ServerEvent } from './api-types.ts'
import { reachability } from './reachability.ts'

const TYPES: ServerEvent['type'][] = ['run', 'step', 'handled', 'sample', 'delivery', 'replay']
const FIRST_DELAY_MS = 1000
const LONGEST_DELAY_MS = 30_000

/**
 * Calls `onEvent` for each event of `/api/v1<path>`; null watches nothing.
 * `onReconnect` is called when the stream is back after a gap: what happened meanwhile has to be fetched.
 * `onFirstOpen` is called when it is there for the first time: what was fetched before may be old.
 */
export function useEvents(
  path: string | null,
  onEvent: (event: ServerEvent) => void,
  onReconnect?: () => void,
  onFirstOpen?: () => void,
): void {
  const handlers = useRef({ onEvent, onReconnect, onFirstOpen })
  useEffect(() => {
    handlers.current = { onEvent, onReconnect, onFirstOpen }
  })
  useEffect(() => {
    if (path === null) return
    return watch(
      urlOf(path),
      (event) => handlers.current.onEvent(event),
      () => handlers.current.onReconnect?.(),
      () => handlers.current.onFirstOpen?.(),
    )
  }, [path])
}

function watch(
  url: string,
  onEvent: (event: ServerEvent) => void,
  onReconnect: () => void,
  onFirstOpen: () => void,
): () => void {
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let delayMs = FIRST_DELAY_MS
  let interrupted = false
  let opened = false

  const open = () => {
    source = new EventSource(url)
    source.onopen = () => {
      delayMs = FIRST_DELAY_MS
      reachability.found()
      if (!opened) onFirstOpen()
      else if (interrupted) onReconnect()
      opened = true
      interrupted = false
    }
    source.onerror = () => {
      interrupted = true
      // Still connecting: the browser tries again by itself. Closed: the service refused, and only we can.
      if (source?.readyState === EventSource.CLOSED) {
        timer = setTimeout(open, delayMs)
        delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)
      }
      reachability.ask()
    }
    for (const type of TYPES)
      source.addEventListener(type, (message: MessageEvent<string>) => onEvent({ type, data: parseJson(message.data) }))
  }
  const close = () => {
    clearTimeout(timer)
    source?.close()
    source = null
  }
  const onVisibility = () => {
    if (document.hidden) {
      close()
      interrupted = true
    } else if (!source) open()
  }
  if (!document.hidden) open()
  else interrupted = true
  document.addEventListener('visibilitychange', onVisibility)
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    close()
  }
}
