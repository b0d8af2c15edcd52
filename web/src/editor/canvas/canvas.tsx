// The flow from top to bottom: pan and zoom are React Flow's, places are the layout's.
import '@xyflow/react/dist/base.css'
import { ActionIcon, Tooltip } from '@mantine/core'
import { IconFocusCentered, IconMinus, IconPlus } from '@tabler/icons-react'
import {
  type Edge,
  type NodeTypes,
  Panel,
  ReactFlow,
  type ReactFlowInstance,
  ReactFlowProvider,
  useReactFlow,
  useViewport,
  type Viewport,
  ViewportPortal,
} from '@xyflow/react'
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type EditedFlow, isInside, stepAt } from '../../flow-model/flow-tree.ts'
import {
  type Box,
  CARD,
  INSERT_SIZE,
  type LaidNode,
  type Layout,
  layoutFlow,
  linePath,
} from '../../flow-model/layout.ts'
import { useEditor } from '../state/editor-context.tsx'
import { useEdits } from '../state/use-edits.ts'
import { useOutcomes } from '../state/use-outcomes.ts'
import classes from './canvas.module.css'
import { CanvasContext, type CanvasValue, useCanvas } from './canvas-context.tsx'
import { CaseLabel } from './case-label.tsx'
import { InsertPoint } from './insert-point.tsx'
import { StepCard } from './step-card.tsx'
import { TriggerCard } from './trigger-card.tsx'
import { type Drag, useNodes } from './use-nodes.ts'

/** The lines are drawn from the layout. */
const NO_EDGES: Edge[] = []

const nodeTypes: NodeTypes = {
  trigger: TriggerCard,
  step: StepCard,
  insert: InsertPoint,
  frame: () => <div className={classes.frame} />,
  label: CaseLabel,
  end: () => <div className={classes.end} />,
}

/** The draft, to be edited. */
export function Canvas() {
  const { document, readOnly, kinds, issues, search, selected, open, sample, adding, setAdding } = useEditor()
  const { moveTo } = useEdits()
  const outcomes = useOutcomes()
  const { view } = search
  const value = useMemo<CanvasValue>(() => {
    const shown = view ? { view } : {}
    return {
      document,
      readOnly,
      leastZoom: 0.65,
      kinds,
      issues,
      outcomes,
      selected,
      triggerSelected: search.trigger === true,
      triggerNote: sample ? '' : 'no test request yet',
      openStep: (key) => open({ step: key, ...shown }),
      openTrigger: () => open({ trigger: true, ...shown }),
      moveTo,
      adding,
      setAdding,
    }
  }, [
    document,
    readOnly,
    kinds,
    issues,
    outcomes,
    selected,
    search.trigger,
    view,
    sample,
    open,
    moveTo,
    adding,
    setAdding,
  ])
  return <FlowCanvas value={value} />
}

export function FlowCanvas({ value }: { value: CanvasValue }) {
  return (
    <CanvasContext.Provider value={value}>
      <ReactFlowProvider>
        <Surface />
      </ReactFlowProvider>
    </CanvasContext.Provider>
  )
}

/** The same object while nothing has moved: typing in a field must not draw the canvas anew. */
function useLayout(flow: EditedFlow): Layout {
  const last = useRef<{ layout: Layout; text: string } | null>(null)
  return useMemo(() => {
    const layout = layoutFlow(flow)
    const text = JSON.stringify(layout)
    if (last.current?.text !== text) last.current = { layout, text }
    return last.current.layout
  }, [flow])
}

function Surface() {
  const { document: flow, readOnly, leastZoom, selected, moveTo } = useCanvas()
  const layout = useLayout(flow)
  const [drag, setDrag] = useState<Drag | null>(null)
  const nodes = useNodes(layout, drag)
  const frame = useRef<HTMLDivElement>(null)
  const instance = useRef<ReactFlowInstance | null>(null)

  useEffect(() => {
    frame.current?.querySelector('.react-flow__nodes')?.setAttribute('role', 'list')
  })
  const path = selected?.path ?? null
  useKeepInView(layout, path, frame)
  useFocusAfterAdding(frame)

  // Until somebody moves the view, it shows as much of the flow as the room allows.
  const isTouched = useRef(false)
  const latest = useRef({ layout, path, leastZoom })
  useEffect(() => {
    latest.current = { layout, path, leastZoom }
  })
  const show = useCallback(() => {
    if (instance.current && frame.current) showFromTop(instance.current, frame.current, latest.current)
  }, [])
  useEffect(() => {
    const observer = new ResizeObserver(() => !isTouched.current && show())
    observer.observe(frame.current!)
    return () => observer.disconnect()
  }, [show])

  return (
    // biome-ignore lint/a11y/useSemanticElements: a section with this name is what it is
    <div ref={frame} className={classes.canvas} data-canvas role="region" aria-label="Steps of the flow">
      <ReactFlow
        nodes={nodes}
        edges={NO_EDGES}
        nodeTypes={nodeTypes}
        onInit={(created) => {
          instance.current = created
          show()
        }}
        onMoveStart={(event) => {
          if (event) isTouched.current = true
        }}
        nodesDraggable={!readOnly}
        nodesConnectable={false}
        nodesFocusable={false}
        elementsSelectable={false}
        zoomOnDoubleClick={false}
        panOnScroll
        minZoom={0.25}
        maxZoom={1.5}
        deleteKeyCode={null}
        disableKeyboardA11y
        nodeDragThreshold={6}
        proOptions={{ hideAttribution: true }}
        onNodesChange={(changes) => {
          for (const change of changes)
            if (change.type === 'position' && change.dragging && change.position)
              setDrag({ id: change.id, ...change.position, target: nearestInsert(layout, change.id, change.position) })
        }}
        onNodeDragStop={() => {
          const dragged = layout.nodes.find(({ id }) => id === drag?.id)
          const target = layout.nodes.find(({ id }) => id === drag?.target)
          setDrag(null)
          if (dragged?.type !== 'step' || target?.type !== 'insert') return
          const place = stepAt(flow, dragged.path)
          if (place) moveTo(place, target.position)
        }}
      >
        <ViewportPortal>
          <Lines layout={layout} />
        </ViewportPortal>
        <Panel position="bottom-left">
          <ZoomControls
            onFit={() => {
              isTouched.current = false
              show()
            }}
          />
        </Panel>
      </ReactFlow>
    </div>
  )
}

const Lines = memo(function Lines({ layout }: { layout: Layout }) {
  return (
    <svg className={classes.lines} width={layout.width} height={layout.height} aria-hidden="true">
      {layout.lines.map(({ id, points, arrow }) => {
        const [x, y] = points.at(-1)!
        return (
          <g key={id}>
            <path d={linePath(points)} />
            {arrow && <path className={classes.head} d={`M${x - 4},${y - 6}L${x + 4},${y - 6}L${x},${y}Z`} />}
          </g>
        )
      })}
    </svg>
  )
})

function ZoomControls({ onFit }: { onFit: () => void }) {
  const { zoomIn, zoomOut } = useReactFlow()
  const { zoom } = useViewport()
  return (
    <div className={classes.controls}>
      <ZoomButton label="Zoom out" icon={<IconMinus size={15} />} onClick={() => void zoomOut()} />
      <span className={classes.zoom}>{Math.round(zoom * 100)} %</span>
      <ZoomButton label="Zoom in" icon={<IconPlus size={15} />} onClick={() => void zoomIn()} />
      <ZoomButton label="Show the whole flow" icon={<IconFocusCentered size={15} />} onClick={onFit} />
    </div>
  )
}

function ZoomButton({ label, icon, onClick }: { label: string; icon: React.ReactNode; onClick: () => void }) {
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}

const MARGIN = 32

interface Shown {
  layout: Layout
  /** Of the selected step; null: the trigger. */
  path: string | null
  leastZoom: number
}

/** The trigger at the top, in the middle; smaller only as far as it stays readable, and with the selected card in sight. */
function showFromTop(instance: ReactFlowInstance, frame: HTMLElement, { layout, path, leastZoom }: Shown): void {
  const size = frame.getBoundingClientRect()
  const { width, height } = size
  const wanted = Math.min((width - 2 * MARGIN) / layout.width, (height - 2 * MARGIN) / layout.height)
  const zoom = Math.min(1, Math.max(leastZoom, wanted))
  const trigger = layout.nodes[0]!.box
  const axis = trigger.x + trigger.width / 2
  const whole = layout.width * zoom + 2 * MARGIN <= width
  const middle = whole ? layout.width / 2 : axis
  const viewport = { x: width / 2 - middle * zoom, y: MARGIN, zoom }
  void instance.setViewport(broughtIntoView(viewport, cardAt(layout, path), size))
}

const cardAt = (layout: Layout, path: string | null): LaidNode | undefined =>
  layout.nodes.find((node) => (path === null ? node.type === 'trigger' : node.type === 'step' && node.path === path))

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
function useKeepInView(layout: Layout, path: string | null, frame: React.RefObject<HTMLDivElement | null>): void {
  const { getViewport, setViewport } = useReactFlow()
  useEffect(() => {
    const size = frame.current?.getBoundingClientRect()
    if (!size || size.width === 0) return
    const viewport = getViewport()
    const moved = broughtIntoView(viewport, cardAt(layout, path), size)
    if (moved !== viewport) void setViewport(moved)
  }, [layout, path, frame, getViewport, setViewport])
}

/** The menu of kinds gives the focus back to the selected card, from where it follows the selection. */
function useFocusAfterAdding(frame: React.RefObject<HTMLDivElement | null>): void {
  const { adding } = useCanvas()
  const wasAdding = useRef(false)
  useEffect(() => {
    if (wasAdding.current && !adding) {
      const card = frame.current?.querySelector<HTMLElement>('[data-card][tabindex="0"]')
      card?.focus({ preventScroll: true })
    }
    wasAdding.current = adding !== null
  }, [adding, frame])
}

const REACH = 90

/** The insert point that a dragged card covers or nearly does; none inside the card's own step. */
function nearestInsert(layout: Layout, id: string, at: { x: number; y: number }): string | null {
  const dragged = layout.nodes.find((node) => node.id === id)
  if (dragged?.type !== 'step') return null
  const [x, y] = middleOf({ ...at, ...CARD })
  let best: { id: string; distance: number } | null = null
  for (const node of layout.nodes) {
    if (node.type !== 'insert' || isInside(node.position.list, dragged.path)) continue
    const [nodeX, nodeY] = middleOf({ ...node.box, width: INSERT_SIZE, height: INSERT_SIZE })
    const distance = Math.hypot((nodeX - x) / 2, nodeY - y)
    if (distance < REACH && (best === null || distance < best.distance)) best = { id: node.id, distance }
  }
  return best?.id ?? null
}

const middleOf = ({ x, y, width, height }: Box): [number, number] => [x + width / 2, y + height / 2]
