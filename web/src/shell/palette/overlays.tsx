// The palette and the help of keys: asked for from anywhere, fetched while the first page rests.
import { lazy, Suspense, useEffect, useState } from 'react'
import { isTyping } from '../is-typing.ts'
import { type Overlay, onOverlay } from '../show-overlay.ts'

const fetchPalette = () => import('./command-palette.tsx')
const fetchKeys = () => import('./key-help.tsx')
const CommandPalette = lazy(async () => ({ default: (await fetchPalette()).CommandPalette }))
const KeyHelp = lazy(async () => ({ default: (await fetchKeys()).KeyHelp }))

const FETCH_AFTER_MS = 2000

export function Overlays() {
  /** How often each was asked for. */
  const [asked, setAsked] = useState<Record<Overlay, number>>({ palette: 0, keys: 0 })
  useEffect(() => {
    const show = (overlay: Overlay) => setAsked((before) => ({ ...before, [overlay]: before[overlay] + 1 }))
    const onKey = (event: KeyboardEvent) => {
      if (event.altKey) return
      const command = event.ctrlKey || event.metaKey
      const isHelp = event.key === '?' && !command && !isTyping(event.target)
      const overlay = command && event.key.toLowerCase() === 'k' ? 'palette' : isHelp ? 'keys' : null
      if (!overlay) return
      event.preventDefault()
      show(overlay)
    }
    const stop = onOverlay(show)
    window.addEventListener('keydown', onKey)
    // What cannot be fetched now is tried again when it is asked for.
    const timer = setTimeout(() => void Promise.all([fetchPalette(), fetchKeys()]).catch(() => {}), FETCH_AFTER_MS)
    return () => {
      clearTimeout(timer)
      stop()
      window.removeEventListener('keydown', onKey)
    }
  }, [])
  return (
    <Suspense fallback={null}>
      {asked.palette > 0 && <CommandPalette asked={asked.palette} />}
      {asked.keys > 0 && <KeyHelp asked={asked.keys} />}
    </Suspense>
  )
}
