// Which rows of the scrolled list are drawn. A list that follows hundreds of events a second draws only what can be seen.
import { useMediaQuery } from '@mantine/hooks'
import { type RefObject, useEffect, useState } from 'react'
import { type RowWindow, rowWindow } from './row-window.ts'

/** The heights of a row in table.module.css, with its border. */
const ROW_PX = 33
const PHONE_ROW_PX = 62
const PHONE = '(max-width: 640px)'

export function useRowWindow(box: RefObject<HTMLElement | null>, count: number): RowWindow {
  const onPhone = useMediaQuery(PHONE)
  const [view, setView] = useState({ top: 0, height: 800 })
  useEffect(() => {
    const list = box.current
    if (!list) return
    const measure = () => setView({ top: list.scrollTop, height: list.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(list)
    list.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      list.removeEventListener('scroll', measure)
    }
  }, [box])
  return rowWindow(count, onPhone ? PHONE_ROW_PX : ROW_PX, view.top, view.height)
}
