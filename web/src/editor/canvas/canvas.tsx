// The flow from top to bottom: pan and zoom are React Flow's, places are the layout's.
import '@xyflow/react/dist/base.css'
import { useQuery } from '@tanstack/react-query'
import { type Edge, MiniMap, type NodeTypes, Panel, ReactFlow, ReactFlowProvider, ViewportPortal } from '@xyflow/react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { queries } from '../../api/queries.ts'
import { type EditedFlow, isInside, ON_FAILURE, stepAt } from '../../flow-model/flow-tree.ts'
import { type Box, CARD, INSERT_SIZE, type Layout, layoutFlow } from '../../flow-model/layout.ts'
import { layoutNotes, movedNote, notesOf } from '../../flow-model/notes.ts'
import { useEditor } from '../state/editor-context.tsx'
import { useEdits } from '../state/use-edits.ts'
import { useMarks } from '../state/use-marks.ts'
import { useOutcomes } from '../state/use-outcomes.ts'
import classes from './canvas.module.css'
import { CanvasContext, type CanvasValue, useCanvas } from './canvas-context.tsx'
import { CanvasControls } from './canvas-controls.tsx'
import { CaseLabel } from './case-label.tsx'
import { FailureCard } from './failure-card.tsx'
import { InsertPoint } from './insert-point.tsx'
import { Lines } from './lines.tsx'
import { NoteCard } from './note-card.tsx'
import { StepCard } from './step-card.tsx'
import { StepSearch, useStepSearch } from './step-search.tsx'
import { TriggerCard } from './trigger-card.tsx'
import { type Drag, useNodes } from './use-nodes.ts'
import { LEAST_ZOOM, useCanvasView } from './view.ts'

/** The lines are drawn from the layout. */
const NO_EDGES: Edge[] = []

const nodeTypes: NodeTypes = {
  trigger: TriggerCard,
  failure: FailureCard,
  step: StepCard,
  insert: InsertPoint,
  frame: () => <div className={classes.frame} />,
  label: CaseLabel,
  note: NoteCard,
  end: () => <div className={classes.end} />,
}

/** The draft, to be edited. */
export function Canvas() {
  const { flow, document, readOnly, kinds, issues, search, selected, open, sample, adding, setAdding } = useEditor()
  const { moveTo, changeNotes } = useEdits()
  const { marked, mark, clear } = useMarks()
  const outcomes = useOutcomes()
  const instead = useFailureDefault(document.onFailure === undefined)
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
      taken: null,
      selected,
      marked,
      triggerSelected: search.trigger === true,
      failure: { selected: search.failure === true, instead, status: null },
      triggerNote: sample || !flow.webhook ? '' : 'no test request yet',
      openStep: (key) => {
        clear()
        open({ step: key, ...shown })
      },
      mark,
      openTrigger: () => {
        clear()
        open({ trigger: true, ...shown })
      },
      openFailure: () => {
        clear()
        open({ failure: true, ...shown })
      },
      moveTo,
      changeNotes,
      adding,
      setAdding,
    }
  }, [
    flow.webhook,
    document,
    readOnly,
    kinds,
    issues,
    outcomes,
    selected,
    search.trigger,
    search.failure,
    instead,
    view,
    sample,
    open,
    moveTo,
    changeNotes,
    marked,
    mark,
    clear,
    adding,
    setAdding,
  ])
  return <FlowCanvas value={value} />
}

/** What is done for a flow that says nothing about its failed runs. */
function useFailureDefault(enabled: boolean): string {
  const { data } = useQuery({ ...queries.failureFlow, enabled })
  if (!data) return ''
  return data.flow ? `calls ${data.flow.name}, as the settings say` : 'nothing is done'
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
function useLayout(flow: EditedFlow, showsFailure: boolean): Layout {
  const last = useRef<{ layout: Layout; text: string } | null>(null)
  return useMemo(() => {
    const layout = layoutFlow(flow, showsFailure)
    const text = JSON.stringify(layout)
    if (last.current?.text !== text) last.current = { layout, text }
    return last.current.layout
  }, [flow, showsFailure])
}

/** A flow that one sees at a glance needs no map. */
const STEPS_FOR_MAP = 8

function Surface() {
  const { document: flow, readOnly, leastZoom, selected, failure, taken, moveTo, changeNotes } = useCanvas()
  const layout = useLayout(flow, failure !== null)
  const notes = useMemo(() => layoutNotes(flow, layout), [flow, layout])
  const [drag, setDrag] = useState<Drag | null>(null)
  const nodes = useNodes(layout, notes, drag)
  const frame = useRef<HTMLDivElement>(null)
  const search = useStepSearch(frame)

  useEffect(() => {
    frame.current?.querySelector('.react-flow__nodes')?.setAttribute('role', 'list')
  })
  useFocusAfterAdding(frame)
  const view = useCanvasView(frame, {
    layout,
    notes: notes.map(({ box }) => box),
    path: selected?.path ?? (failure?.selected ? ON_FAILURE : null),
    leastZoom,
  })

  const drop = () => {
    if (!drag) return
    setDrag(null)
    const note = notes.find(({ index }) => drag.id === `note:${index}`)
    if (note) {
      const by = { x: drag.x - note.box.x, y: drag.y - note.box.y }
      const moved = notesOf(flow).map((one, index) => (index === note.index ? movedNote(one, by) : one))
      changeNotes(moved, 'Move a note')
      return
    }
    const dragged = layout.nodes.find(({ id }) => id === drag.id)
    const target = layout.nodes.find(({ id }) => id === drag.target)
    if (dragged?.type !== 'step' || target?.type !== 'insert') return
    const place = stepAt(flow, dragged.path)
    if (place) moveTo(place, target.position)
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a section with this name is what it is
    <div ref={frame} className={classes.canvas} data-canvas role="region" aria-label="Steps of the flow">
      <ReactFlow
        nodes={nodes}
        edges={NO_EDGES}
        nodeTypes={nodeTypes}
        onInit={view.onInit}
        onMoveStart={(event) => {
          if (event) view.onTouched()
        }}
        nodesDraggable={!readOnly}
        nodesConnectable={false}
        nodesFocusable={false}
        elementsSelectable={false}
        zoomOnDoubleClick={false}
        panOnScroll
        minZoom={LEAST_ZOOM}
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
        onNodeDragStop={drop}
      >
        <ViewportPortal>
          <Lines layout={layout} taken={taken} />
        </ViewportPortal>
        <Panel position="bottom-left">
          <CanvasControls onFit={view.showWhole} onSearch={search.open} />
        </Panel>
        {search.opened && (
          <Panel position="top-right">
            <StepSearch layout={layout} onClose={search.close} />
          </Panel>
        )}
        {layout.nodes.filter(({ type }) => type === 'step').length > STEPS_FOR_MAP && (
          <MiniMap
            className={classes.map!}
            style={{ width: 140, height: 104 }}
            ariaLabel="Map of the flow"
            pannable
            zoomable
            nodeClassName={({ type, data }) => `${classes.mapNode} ${mapClass(type, data)}`}
          />
        )}
      </ReactFlow>
    </div>
  )
}

function mapClass(type: string | undefined, data: Record<string, unknown>): string {
  if (type !== 'step' && type !== 'trigger' && type !== 'failure' && type !== 'note') return classes.mapNothing!
  if (data['errors'] || data['status'] === 'failed') return classes.mapBad!
  if (data['selected']) return classes.mapSelected!
  return ''
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
