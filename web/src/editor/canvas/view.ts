// Which part of the flow the canvas shows.
import { type ReactFlowInstance, useReactFlow, type Viewport } from '@xyflow/react'
import { type RefObject, useCallback, useEffect, useRef } from 'react'
import type { Box, LaidNode, Layout } from '../../flow-model/layout.ts'

const MARGIN = 32
/** A flow of a thousand steps can be seen as a whole, if not read. */
export const LEAST_ZOOM = 0.01

interface Shown {
  layout: Layout
  notes: readonly Box[]
  /** Of the selected step, or `/onFailure`; null: the trigger. */
  path: string | null
  leastZoom: number
}

interface CanvasView {
  onInit: (instance: ReactFlowInstance) => void
  /** Somebody has moved the view: from now on it stays as it is. */
  onTouched: () => void
  showWhole: () => void
}

/** Until somebody moves the view, it shows as much of the flow as can be read, or all of it where that was asked for. */
export function useCanvasView(frame: RefObject<HTMLDivElement | null>, shown: Shown): CanvasView {
  const instance = useRef<ReactFlowInstance | null>(null)
  const follows = useRef<'top' | 'whole' | null>('top')
  const latest = useRef(shown)
  useEffect(() => {
    latest.current = shown
  })
  const show = useCallback(() => {
    if (!instance.current || !frame.current || follows.current === null) return
    const size = frame.current.getBoundingClientRect()
    const viewport = follows.current === 'whole' ? wholeIn(size, latest.current) : topIn(size, latest.current)
    void instance.current.setViewport(viewport)
  }, [frame])
  useEffect(() => {
    const observer = new ResizeObserver(show)
    observer.observe(frame.current!)
    return () => observer.disconnect()
  }, [frame, show])
  useKeepInView(shown.layout, shown.path, frame)
  return {
    onInit: (created) => {
      instance.current = created
      show()
    },
    onTouched: () => {
      follows.current = null
    },
    showWhole: () => {
      follows.current = 'whole'
      show()
    },
  }
}

/** Everything, however small, in the middle. */
function wholeIn({ width, height }: DOMRect, { layout, notes }: Shown): Viewport {
  const boxes = [{ x: 0, y: 0, width: layout.width, height: layout.height }, ...notes]
  const left = Math.min(...boxes.map(({ x }) => x))
  const top = Math.min(...boxes.map(({ y }) => y))
  const across = Math.max(...boxes.map((box) => box.x + box.width)) - left
  const down = Math.max(...boxes.map((box) => box.y + box.height)) - top
  const fits = Math.min((width - 2 * MARGIN) / across, (height - 2 * MARGIN) / down)
  const zoom = Math.min(1, Math.max(LEAST_ZOOM, fits))
  return { x: (width - across * zoom) / 2 - left * zoom, y: (height - down * zoom) / 2 - top * zoom, zoom }
}

/** The trigger at the top, in the middle; smaller only as far as it stays readable, and with the selected card in sight. */
function topIn(size: DOMRect, { layout, path, leastZoom }: Shown): Viewport {
  const { width, height } = size
  const wanted = Math.min((width - 2 * MARGIN) / layout.width, (height - 2 * MARGIN) / layout.height)
  const zoom = Math.min(1, Math.max(leastZoom, wanted))
  const trigger = layout.nodes[0]!.box
  const axis = trigger.x + trigger.width / 2
  const whole = layout.width * zoom + 2 * MARGIN <= width
  const middle = whole ? layout.width / 2 : axis
  return broughtIntoView({ x: width / 2 - middle * zoom, y: MARGIN, zoom }, cardAt(layout, path), size)
}

const cardAt = (layout: Layout, path: string | null): LaidNode | undefined =>
  layout.nodes.find((node) =>
    path === null ? node.type === 'trigger' : (node.type === 'step' || node.type === 'failure') && node.path === path,
  )

/** The same object where the card is in it already. */
function broughtIntoView(viewport: Viewport, card: LaidNode | undefined, size: DOMRect): Viewport {
  if (!card) return viewport
  const { x, y, zoom } = viewport
  const [left, top] = [card.box.x * zoom + x, card.box.y * zoom + y]
  const [right, bottom] = [left + card.box.width * zoom, top + card.box.height * zoom]
  const shiftX = left < MARGIN ? MARGIN - left : right > size.width - MARGIN ? size.width - MARGIN - right : 0
  const shiftY = top < MARGIN ? MARGIN - top : bottom > size.height - MARGIN ? size.height - MARGIN - bottom : 0
  return shiftX || shiftY ? { x: x + shiftX, y: y + shiftY, zoom } : viewport
}

/** Moves the view only when the selected card is not in it. */
function useKeepInView(layout: Layout, path: string | null, frame: RefObject<HTMLDivElement | null>): void {
  const { getViewport, setViewport } = useReactFlow()
  useEffect(() => {
    const size = frame.current?.getBoundingClientRect()
    if (!size || size.width === 0) return
    const viewport = getViewport()
    const moved = broughtIntoView(viewport, cardAt(layout, path), size)
    if (moved !== viewport) void setViewport(moved)
  }, [layout, path, frame, getViewport, setViewport])
}
