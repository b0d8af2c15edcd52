// Arrow keys move from row to row of a table whose rows are links.
import type { KeyboardEvent, MouseEvent } from 'react'

/** `atEnd` is called when there is no row below. */
export function moveRowFocus(event: KeyboardEvent<HTMLTableElement>, atEnd: () => void): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>('a[data-row]')]
  const row = (event.target as HTMLElement).closest('tr')
  const at = links.findIndex((link) => row?.contains(link))
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key]
  if (to !== undefined) {
    event.preventDefault()
    if (to >= links.length) atEnd()
    else links[Math.max(0, to)]!.focus()
  } else if (event.key === 'ArrowRight') row!.querySelector<HTMLElement>('[data-menu]')?.focus()
  else if (event.key === 'ArrowLeft') links[at]!.focus()
}

/** What lies above the link of a row, for the sake of its tip, leads where the link leads. */
export function followRow(event: MouseEvent<HTMLTableRowElement>): void {
  const target = event.target as HTMLElement
  if (target.closest('a, button, [role="menu"]') || !event.currentTarget.contains(target)) return
  event.currentTarget.querySelector<HTMLAnchorElement>('a[data-row]')?.click()
}
