// The first arrow key leads into the list from wherever the page is.
import { type RefObject, useEffect } from 'react'
import { isTyping } from '../shell/is-typing.ts'

export function useArrowInto(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'ArrowDown' || event.defaultPrevented || isTyping(event.target)) return
      if (document.activeElement !== document.body && document.activeElement?.id !== 'work') return
      const first = list.current?.querySelector<HTMLElement>('a[data-row]')
      if (!first) return
      event.preventDefault()
      first.focus()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [list])
}
