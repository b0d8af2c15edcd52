// Work beside a panel, with a border between them that can be moved by mouse and by keys. How wide the panel was is remembered.
import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'
import classes from './panel-split.module.css'

interface PanelSplitProps {
  /** Under which the size is remembered. */
  name: string
  /** Which side the panel is on. */
  side: 'right' | 'bottom'
  /** In pixels. */
  initial: number
  least: number
  /** On a small screen the panel lies over the rest, or is stacked with it in one page that scrolls. */
  narrow: 'over' | 'stack'
  /** What the rest keeps at least. */
  leastRest: number
  /** The name of the panel for people who cannot see it. */
  label: string
  children: ReactNode
  /** Null: there is none now, and the rest has all of it. */
  panel: ReactNode | null
}

const KEY_STEP_PX = 32

export function PanelSplit(props: PanelSplitProps) {
  const { name, side, initial, least, leastRest, narrow, label, children, panel } = props
  const [size, setSize] = useState(() => remembered(name) ?? initial)
  const box = useRef<HTMLDivElement>(null)
  const across = side === 'right'

  const resize = (wanted: number) => {
    const rect = box.current!.getBoundingClientRect()
    const most = (across ? rect.width : rect.height) - leastRest
    const next = Math.round(Math.max(least, Math.min(most, wanted)))
    setSize(next)
    remember(name, next)
  }
  const onPointerMove = (event: PointerEvent) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    const rect = box.current!.getBoundingClientRect()
    resize(across ? rect.right - event.clientX : rect.bottom - event.clientY)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: 1, ArrowUp: 1, ArrowRight: -1, ArrowDown: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    resize(size + step * KEY_STEP_PX)
  }
  return (
    <div className={classes.split} data-side={side} data-narrow={narrow} ref={box}>
      <div className={classes.rest}>{children}</div>
      {panel !== null && (
        <>
          {/* biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved */}
          <div
            className={classes.border}
            role="separator"
            aria-label={`Size of ${label}`}
            aria-orientation={across ? 'vertical' : 'horizontal'}
            aria-valuenow={size}
            aria-valuemin={least}
            tabIndex={0}
            onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
            onPointerMove={onPointerMove}
            onKeyDown={onKeyDown}
            onDoubleClick={() => resize(initial)}
          />
          <section
            className={classes.panel}
            aria-label={label}
            style={{ '--size': `${size}px`, '--most': `calc(100% - ${leastRest}px)` } as CSSProperties}
          >
            {panel}
          </section>
        </>
      )}
    </div>
  )
}

const keyOf = (name: string) => `millrace-size-${name}`

function remembered(name: string): number | null {
  const size = Number(localStorage.getItem(keyOf(name)))
  return Number.isFinite(size) && size > 0 ? size : null
}

function remember(name: string, size: number): void {
  try {
    localStorage.setItem(keyOf(name), String(size))
  } catch {
    // Full, or forbidden: then it is not remembered.
  }
}
