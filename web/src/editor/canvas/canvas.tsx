// The flow from top to bottom: pan and zoom are React Flow's, places are the layout's.
import '@xyflow/react/dist/base.css'
import { ActionIcon, Tooltip } from '@mantine/core'
import { IconFocusCentered, IconMinus, IconPlus } from '@tabler/icons-react'
import {
  type Edge,
  type Node,
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
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useEditor } from '../editor-context.tsx'
import { describeCase } from '../model/describe-step.ts'
import { allSteps, isInside, stepAt } from '../model/flow-tree.ts'
import { type Box, CARD, INSERT_SIZE, type LaidNode, type Layout, layoutFlow, linePath } from '../model/layout.ts'
import { useEdits } from '../use-edits.ts'
import { useOutcomes } from '../use-outcomes.ts'
import classes from './canvas.module.css'
import { CanvasContext, type CanvasValue, useCanvas } from './canvas-context.tsx'
import { InsertPoint } from './insert-point.tsx'
import { issuesOf, StepCard } from './step-card.tsx'
import { TriggerCard } from './trigger-card.tsx'

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
  const { document, readOnly, kinds, issues, search, selected, open, sample } = useEditor()
  const { moveTo } = useEdits()
  const outcomes = useOutcomes()
  const { view } = search
  const value = useMemo<CanvasValue>(() => {
    const shown = view ? { view } : {}
    return {
      document,
      readOnly,
      leastZoom: 0.5,
      kinds,
      issues,
      outcomes,
      selected,
      triggerSelected: search.trigger === true,
      triggerNote: sample ? '' : 'no test request yet',
      openStep: (key) => open({ step: key, ...shown }),
      openTrigger: () => open({ trigger: true, ...shown }),
      moveTo,
    }
  }, [document, readOnly, kinds, issues, outcomes, selected, search.trigger, view, sample, open, moveTo])
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

interface Drag {
  id: string
  x: number
  y: number
  /** The insert point it would be dropped at. */
  target: string | null
}

function Surface() {
  const { document: flow, readOnly, leastZoom, selected, moveTo } = useCanvas()
  const layout = useMemo(() => layoutFlow(flow), [flow])
  const [drag, setDrag] = useState<Drag | null>(null)
  const nodes = useNodes(layout, drag)
  const frame = useRef<HTMLDivElement>(null)
  const instance = useRef<ReactFlowInstance | null>(null)

  useEffect(() => {
    frame.current?.querySelector('.react-flow__nodes')?.setAttribute('role', 'list')
  })
  const path = selected?.path ?? null
  useKeepInView(layout, path, frame)

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

function useNodes(layout: Layout, drag: Drag | null): Node[] {
  const { document: flow, readOnly, selected, triggerSelected, issues, outcomes } = useCanvas()
  return useMemo(() => {
    const places = new Map(allSteps(flow).map((place) => [place.path, place]))
    // Of all cards Tab leads to one: the selected one, else the trigger.
    const tabbed = selected?.path ?? null
    const shown = readOnly ? layout.nodes.filter(({ type }) => type !== 'insert') : layout.nodes
    return shown.map((node): Node => {
      const dragged = drag?.id === node.id
      const base = {
        id: node.id,
        type: node.type,
        position: dragged ? { x: drag.x, y: drag.y } : { x: node.box.x, y: node.box.y },
        width: node.box.width,
        height: node.box.height,
        draggable: node.type === 'step',
        // React Flow lets only what it can drag or select be clicked.
        style: { pointerEvents: node.type === 'frame' || node.type === 'end' ? 'none' : 'all' },
        domAttributes: { 'aria-roledescription': undefined },
        zIndex: dragged ? 10 : node.type === 'frame' ? 0 : 1,
        ariaRole: node.type === 'frame' || node.type === 'end' ? 'presentation' : 'listitem',
      } satisfies Partial<Node>
      switch (node.type) {
        case 'step': {
          const place = places.get(node.path)!
          return {
            ...base,
            data: {
              place,
              cardKey: node.key,
              outcome: outcomes.get(place.step.id),
              selected: selected?.path === node.path,
              tabbable: tabbed === node.path,
              dragged,
              issues: issuesOf(place, issues),
            },
          }
        }
        case 'trigger':
          return { ...base, data: { selected: triggerSelected, tabbable: tabbed === null } }
        case 'insert':
          return { ...base, data: { position: node.position, alone: node.alone, target: drag?.target === node.id } }
        case 'label':
          return { ...base, data: { node } }
        default:
          return { ...base, data: {} }
      }
    })
  }, [flow, layout, drag, readOnly, selected, triggerSelected, issues, outcomes])
}

function CaseLabel({ data }: { data: Record<string, unknown> }) {
  const { node } = data as { node: LaidNode & { type: 'label' } }
  const { document: flow, openStep } = useCanvas()
  const branch = stepAt(flow, node.path.replace(/\/(cases\/\d+|otherwise)$/, ''))
  if (!branch) return null
  const isCase = node.list.role === 'case'
  const text = isCase ? describeCase(branch.step, node.list.index) : 'otherwise'
  return (
    <button
      type="button"
      tabIndex={-1}
      className={classes.label}
      data-otherwise={!isCase || undefined}
      title={text}
      onClick={() => openStep(branch.step.id || branch.path)}
    >
      <span>{text}</span>
    </button>
  )
}

function Lines({ layout }: { layout: Layout }) {
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
}

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
