// The nodes of the canvas. Their data are plain values, and a node that has not changed stays the same object: then only what changed
// is drawn again.
import type { Node } from '@xyflow/react'
import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'
import type { RunStatus } from '../../api/api-types.ts'
import type { FieldIssue } from '../../fields/field-context.tsx'
import { describeColumn, describeFailure, describeStep, describeTrigger } from '../../flow-model/describe-step.ts'
import {
  allSteps,
  isInside,
  type Note,
  nestedLists,
  ON_FAILURE,
  type Position,
  type StepPlace,
  stepKeys,
} from '../../flow-model/flow-tree.ts'
import type { LaidNode, Layout } from '../../flow-model/layout.ts'
import { type LaidNote, movedNote, notesOf } from '../../flow-model/notes.ts'
import type { Outcome } from '../../flow-model/outcomes.ts'
import { useCalledFlows } from '../state/use-called-flows.ts'
import { type CanvasValue, useCanvas } from './canvas-context.tsx'

export interface Drag {
  id: string
  x: number
  y: number
  /** The insert point it would be dropped at. */
  target: string | null
}

export interface Problems {
  errors: number
  warnings: number
  problem: string
}

interface CardState extends Problems, Record<string, unknown> {
  line: string
  selected: boolean
  /** The one card that Tab leads to; the arrow keys lead to the others. */
  tabbable: boolean
  onOpen: Open
}

/** With Ctrl, ⌘ or Shift a card is chosen in addition to others. */
type Open = (key: string | null, how?: 'toggle' | 'range') => void

export interface StepCardData extends CardState {
  cardKey: string
  id: string
  kind: string
  kindLabel: string
  name: string
  /** ", in case 1 of check". */
  where: string
  status: Outcome['status'] | null
  result: string
  note: Outcome['note'] | null
  dragged: boolean
  marked: boolean
  /** Whether the run that is looked at came here; null where none is looked at. */
  taken: boolean | null
  /** Looked at, not edited: the card has the colour of its outcome. */
  ended: boolean
}

export interface TriggerCardData extends CardState {
  kind: string
  note: string
}

export interface FailureCardData extends CardState {
  /** The flow says nothing about it. */
  unset: boolean
  status: RunStatus | null
  onOpenFailure: () => void
}

export interface InsertPointData extends Record<string, unknown> {
  list: string
  index: number
  /** The only thing in its list, so always to be seen. */
  alone: boolean
  /** A dragged card would be dropped here. */
  target: boolean
  opened: boolean
  onAdd: (position: Position | null) => void
}

export interface CaseLabelData extends Record<string, unknown> {
  text: string
  isCase: boolean
  branch: string
  onOpen: Open
}

export interface NoteCardData extends Record<string, unknown> {
  index: number
  text: string
  readOnly: boolean
  onText: (index: number, text: string) => void
  onMove: (index: number, by: { x: number; y: number }) => void
  onRemove: (index: number) => void
}

export function useNodes(layout: Layout, notes: readonly LaidNote[], drag: Drag | null): Node[] {
  const canvas = useCanvas()
  const { document: flow, selected, triggerSelected, triggerNote, issues, kinds, outcomes, adding, readOnly } = canvas
  const { marked, taken, failure } = canvas
  const called = useCalledFlows(flow)
  // What is done on a click does not change what is drawn.
  const latest = useRef(canvas)
  useEffect(() => {
    latest.current = canvas
  })
  const onOpen = useCallback<Open>((key, how) => {
    if (key !== null && how) latest.current.mark(key, how)
    else if (key === null) latest.current.openTrigger()
    else latest.current.openStep(key)
  }, [])
  const onOpenFailure = useCallback(() => latest.current.openFailure(), [])
  const onAdd = useCallback((position: Position | null) => latest.current.setAdding(position), [])
  const noteEdits = useNoteEdits(latest)
  const last = useRef(new Map<string, Node>())
  return useMemo(() => {
    const places = new Map(allSteps(flow).map((place) => [place.path, place]))
    const keys = stepKeys(flow)
    const flowName = (name: string) => called(name)?.name ?? name
    // Of all cards Tab leads to one: the selected one, else the trigger.
    const tabbed = selected?.path ?? (failure?.selected ? ON_FAILURE : null)
    const shown = readOnly ? layout.nodes.filter(({ type }) => type !== 'insert') : layout.nodes
    const nodes = shown.map((node): Node => {
      const dragged = drag?.id === node.id
      const at = dragged ? drag : node.box
      switch (node.type) {
        case 'step': {
          const place = places.get(node.path)!
          const { step } = place
          const outcome = outcomes.get(step.id)
          return nodeOf(node, at, {
            cardKey: node.key,
            id: step.id,
            kind: step.kind,
            kindLabel: kinds.find(({ kind }) => kind === step.kind)?.label ?? step.kind,
            name: step.name ?? '',
            line: describeStep(step, flowName),
            where: whereOf(place),
            status: outcome?.status ?? null,
            result: outcome?.text ?? '',
            note: outcome?.note ?? null,
            selected: selected?.path === node.path,
            tabbable: tabbed === node.path,
            dragged,
            marked: marked.has(node.key),
            taken: taken ? taken.steps.has(node.path) : null,
            ended: readOnly,
            ...problemsOf(issuesOf(place, issues)),
            onOpen,
          } satisfies StepCardData)
        }
        case 'trigger':
          return nodeOf(node, at, {
            kind: typeof flow.trigger['kind'] === 'string' ? flow.trigger['kind'] : 'trigger',
            line: describeTrigger(flow.trigger),
            note: triggerNote,
            selected: triggerSelected,
            tabbable: tabbed === null,
            ...problemsOf(issues.filter(({ path }) => isInside(path, '/trigger'))),
            onOpen,
          } satisfies TriggerCardData)
        case 'failure':
          return nodeOf(node, at, {
            line: describeFailure(flow.onFailure, failure?.instead ?? '', flowName),
            unset: flow.onFailure === undefined,
            status: failure?.status ?? null,
            selected: failure?.selected ?? false,
            tabbable: tabbed === ON_FAILURE,
            ...problemsOf(issues.filter(isOfHandler)),
            onOpen,
            onOpenFailure,
          } satisfies FailureCardData)
        case 'insert':
          return nodeOf(node, at, {
            ...node.position,
            alone: node.alone,
            target: drag?.target === node.id,
            opened: adding?.list === node.position.list && adding.index === node.position.index,
            onAdd,
          } satisfies InsertPointData)
        case 'label': {
          const branch = places.get(node.branch)!
          const isCase = node.role !== 'otherwise'
          const text = describeColumn(branch.step, node.role, node.index)
          return nodeOf(node, at, { text, isCase, branch: keys.get(node.branch)!, onOpen } satisfies CaseLabelData)
        }
        default:
          return nodeOf(node, at, {})
      }
    })
    for (const { index, text, box } of notes) {
      const laid = { id: `note:${index}`, type: 'note', box }
      const data = { index, text, readOnly, ...noteEdits } satisfies NoteCardData
      nodes.push({ ...nodeOf(laid, drag?.id === laid.id ? drag : box, data), dragHandle: '.note-handle', zIndex: 2 })
    }
    const kept = nodes.map((node) => {
      const before = last.current.get(node.id)
      return before && isSame(before, node) ? before : node
    })
    last.current = new Map(kept.map((node) => [node.id, node]))
    return kept
  }, [
    flow,
    layout,
    drag,
    selected,
    triggerSelected,
    triggerNote,
    issues,
    outcomes,
    kinds,
    adding,
    readOnly,
    notes,
    marked,
    taken,
    failure,
    called,
    noteEdits,
    onOpen,
    onOpenFailure,
    onAdd,
  ])
}

function useNoteEdits(canvas: RefObject<CanvasValue>): Pick<NoteCardData, 'onText' | 'onMove' | 'onRemove'> {
  return useMemo(() => {
    const change = (index: number, changed: (note: Note) => Note | null, label: string, merge?: string) => {
      const notes = notesOf(canvas.current.document)
      canvas.current.changeNotes(
        notes.flatMap((note, i) => (i === index ? (changed(note) ?? []) : note)),
        label,
        merge,
      )
    }
    return {
      onText: (index, text) => change(index, (note) => ({ ...note, text }), 'Write a note', `/notes/${index}`),
      onMove: (index, by) => change(index, (note) => movedNote(note, by), 'Move a note', `/notes/${index}/place`),
      onRemove: (index) => change(index, () => null, 'Delete a note'),
    }
  }, [canvas])
}

function nodeOf(
  { id, type, box }: Pick<LaidNode, 'id' | 'box'> & { type: string },
  { x, y }: { x: number; y: number },
  data: Record<string, unknown>,
): Node {
  const decorates = type === 'frame' || type === 'end'
  return {
    id,
    type,
    data,
    position: { x, y },
    width: box.width,
    height: box.height,
    draggable: type === 'step' || type === 'note',
    // React Flow lets only what it can drag or select be clicked.
    style: { pointerEvents: decorates ? 'none' : 'all' },
    zIndex: data['dragged'] ? 10 : type === 'frame' ? 0 : 1,
    ariaRole: decorates ? 'presentation' : 'listitem',
    domAttributes: { 'aria-roledescription': undefined },
  }
}

function isSame(a: Node, b: Node): boolean {
  if (a.position.x !== b.position.x || a.position.y !== b.position.y) return false
  if (a.width !== b.width || a.height !== b.height || a.type !== b.type) return false
  const names = Object.keys(b.data)
  return names.length === Object.keys(a.data).length && names.every((name) => a.data[name] === b.data[name])
}

function problemsOf(issues: readonly FieldIssue[]): Problems {
  const errors = issues.filter(({ warning }) => !warning).length
  return { errors, warnings: issues.length - errors, problem: issues[0]?.message ?? '' }
}

/** Problems of what is done when a run fails, but not of its steps, which are shown on theirs. */
export const isOfHandler = ({ path }: Pick<FieldIssue, 'path'>): boolean => /^\/onFailure(?!\/\d)/.test(path)

function whereOf({ list, parent }: StepPlace): string {
  if (!parent) return list === ON_FAILURE ? ', when a run fails' : ''
  const { place, nested } = parent
  if (nested.role === 'body') return `, in the loop ${place.step.id}`
  if (nested.role === 'otherwise') return `, otherwise in ${place.step.id}`
  if (nested.role === 'lane') return `, in ${nested.name} of ${place.step.id}`
  return `, in case ${nested.index + 1} of ${place.step.id}`
}

/** Problems of the step itself; those of the steps inside it are shown on theirs. */
export function issuesOf(place: StepPlace, issues: readonly FieldIssue[]): FieldIssue[] {
  const inner = nestedLists(place.step).map(({ key }) => place.path + key)
  return issues.filter(
    ({ path }) => isInside(path, place.path) && !inner.some((list) => path !== list && isInside(path, list)),
  )
}
