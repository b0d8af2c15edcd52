// A list holds still while it is paused or scrolled, and follows again at its top.
import { type UIEvent, useEffect, useRef, useState } from 'react'

const NEAR_TOP_PX = 8

export function useHeldScroll(hold: () => void, follow: () => void) {
  const ref = useRef<HTMLDivElement>(null)
  const [paused, setPaused] = useState(false)
  const [scrolled, setScrolled] = useState(false)
  const still = paused || scrolled
  useEffect(() => {
    if (still) hold()
    else follow()
  }, [still, hold, follow])
  return {
    ref,
    paused,
    setPaused,
    onScroll: (event: UIEvent<HTMLDivElement>) => setScrolled(event.currentTarget.scrollTop > NEAR_TOP_PX),
    showNewest: () => {
      setPaused(false)
      ref.current?.scrollTo({ top: 0 })
    },
  }
}
