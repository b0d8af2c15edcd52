// Parts of a row that are costly to draw are made when their control is first used. The control that takes the place of the plain
// one has to be given the click that it was made for.
import { type RefObject, useEffect, useRef } from 'react'

/** Focuses and clicks the element once, after it is made; not where `clicks` is false. */
export function useClickWhenMade<T extends HTMLElement>(clicks = true): RefObject<T | null> {
  const element = useRef<T>(null)
  const toClick = useRef(clicks)
  useEffect(() => {
    if (!toClick.current) return
    toClick.current = false
    element.current!.focus()
    element.current!.click()
  }, [])
  return element
}
