// Which rows of a long list are drawn: those that can be seen, and a few around them.

export interface RowWindow {
  first: number
  /** Not included. */
  end: number
  /** Heights of what is left out. */
  above: number
  below: number
}

const AROUND = 8

export function rowWindow(count: number, rowHeight: number, scrollTop: number, height: number): RowWindow {
  const first = Math.max(0, Math.min(count, Math.floor(scrollTop / rowHeight)) - AROUND)
  const end = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + AROUND)
  return {
    first,
    end: Math.max(first, end),
    above: first * rowHeight,
    below: (count - Math.max(first, end)) * rowHeight,
  }
}
