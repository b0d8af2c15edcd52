// Where everything stands on the canvas: steps below each other, the cases of a branch side by side, a loop as a frame around its steps.
// Sizes are fixed, so that no text has to be measured; everything hangs on a vertical axis.
import type { StepDocument } from '../../../src/flow/document.ts'
import { stepKind } from '../step-kinds/index.ts'
import type { NestedList } from '../step-kinds/step-kind.ts'
import { type EditedFlow, nestedLists, ON_FAILURE, type Position, stepKeys } from './flow-tree.ts'

export const CARD = { width: 288, height: 60 }
export const GAP = 40
const LABEL_HEIGHT = 24
export const INSERT_SIZE = 20
/** Of a column without steps. */
export const EMPTY_WIDTH = 136
const COLUMN_GAP = 32
const FORK = 20
const JOIN = 12
const FRAME_PADDING = 20
/** Between the end of a flow and what is done when a run of it fails: no line leads there. */
const FAILURE_GAP = 56
const END_SIZE = 10

export interface Box {
  x: number
  y: number
  width: number
  height: number
}

interface Placed {
  /** Stays the same while the document changes around it. */
  id: string
  box: Box
}

export type LaidNode =
  | (Placed & { type: 'trigger' })
  | (Placed & { type: 'failure'; path: string })
  | (Placed & { type: 'step'; key: string; path: string })
  | (Placed & { type: 'frame'; path: string })
  | (Placed & { type: 'label'; branch: string; role: NestedList['role']; index: number })
  | (Placed & { type: 'insert'; position: Position; alone: boolean })
  | (Placed & { type: 'end' })

/** A line from the first point to the last, along the axes. */
export interface Line {
  id: string
  /** Stays the same while the steps that it joins move. */
  key: string
  points: [x: number, y: number][]
  arrow: boolean
}

export interface Layout {
  nodes: LaidNode[]
  lines: Line[]
  width: number
  height: number
}

/** Something that hangs on the axis: how far it reaches to both sides, and how to place it. */
interface Block {
  left: number
  right: number
  height: number
  /** Nothing goes on after it. */
  ends: boolean
  place(x: number, y: number, into: Layout): void
}

/** `showsFailure`: whether there is a card for what is done when a run fails. */
export function layoutFlow(document: EditedFlow, showsFailure = document.onFailure !== undefined): Layout {
  const keys = stepKeys(document)
  const { onFailure } = document
  const steps = listBlock(Array.isArray(document.steps) ? document.steps : [], '/steps', keys, '')
  const handling = showsFailure && Array.isArray(onFailure) ? listBlock(onFailure, ON_FAILURE, keys, ON_FAILURE) : null
  const half = CARD.width / 2
  const left = Math.max(half, steps.left, handling?.left ?? 0)
  const right = Math.max(half, steps.right, handling?.right ?? 0)
  const bottom = CARD.height + steps.height + END_SIZE
  const layout: Layout = { nodes: [], lines: [], width: left + right, height: bottom }
  layout.nodes.push({ type: 'trigger', id: 'trigger', box: { x: left - half, y: 0, ...CARD } })
  steps.place(left, CARD.height, layout)
  if (!steps.ends) layout.nodes.push(endAt('end', left, bottom))
  if (!showsFailure) return layout
  const top = bottom + FAILURE_GAP
  const under = top + CARD.height
  layout.nodes.push({ type: 'failure', id: 'failure', path: ON_FAILURE, box: { x: left - half, y: top, ...CARD } })
  layout.height = under + (handling ? handling.height + END_SIZE : GAP)
  handling?.place(left, under, layout)
  if (handling && !handling.ends) layout.nodes.push(endAt('end:failure', left, layout.height))
  // The first step makes the list.
  if (onFailure === undefined) layout.nodes.push(insertAt({ list: ON_FAILURE, index: 0 }, false, left, under))
  return layout
}

const endAt = (id: string, x: number, bottom: number): LaidNode => ({
  type: 'end',
  id,
  box: { x: x - END_SIZE / 2, y: bottom - END_SIZE, width: END_SIZE, height: END_SIZE },
})

/** In the middle of the gap that begins at `top`. */
const insertAt = (position: Position, alone: boolean, x: number, top: number): LaidNode => ({
  type: 'insert',
  id: `insert:${position.list}:${position.index}`,
  position,
  alone,
  box: { x: x - INSERT_SIZE / 2, y: top + (GAP - INSERT_SIZE) / 2, width: INSERT_SIZE, height: INSERT_SIZE },
})

/** Begins and ends with a line, so that a step can be inserted before the first and after the last. */
function listBlock(steps: StepDocument[], list: string, keys: Map<string, string>, owner: string): Block {
  const blocks = steps.map((step, index) => stepBlock(step, `${list}/${index}`, keys))
  const half = (steps.length ? CARD.width : EMPTY_WIDTH) / 2
  return {
    left: Math.max(half, ...blocks.map((block) => block.left)),
    right: Math.max(half, ...blocks.map((block) => block.right)),
    height: GAP + blocks.reduce((sum, block) => sum + block.height + GAP, 0),
    ends: blocks.at(-1)?.ends ?? false,
    place(x, y, into) {
      let top = y
      let goesOn = true
      for (const [index, block] of [...blocks, null].entries()) {
        if (goesOn)
          into.lines.push({
            id: `${list}:${index}`,
            key: block ? `to ${keys.get(`${list}/${index}`)}` : `end of ${owner}`,
            points: [
              [x, top],
              [x, top + GAP],
            ],
            arrow: block !== null,
          })
        into.nodes.push(insertAt({ list, index }, blocks.length === 0, x, top))
        top += GAP
        block?.place(x, top, into)
        top += block?.height ?? 0
        goesOn = !block?.ends
      }
    },
  }
}

function stepBlock(step: StepDocument, path: string, keys: Map<string, string>): Block {
  const lists = nestedLists(step)
  if (lists.length)
    return lists[0]!.role === 'body' ? frameBlock(lists[0]!, path, keys) : columnsBlock(lists, path, keys)
  return {
    left: CARD.width / 2,
    right: CARD.width / 2,
    height: CARD.height,
    ends: stepKind(step.kind).ends?.(step) ?? false,
    place: (x, y, into) => void into.nodes.push(card(path, keys, x, y)),
  }
}

const card = (path: string, keys: Map<string, string>, x: number, y: number): LaidNode => ({
  type: 'step',
  id: `step:${keys.get(path)}`,
  key: keys.get(path)!,
  path,
  box: { x: x - CARD.width / 2, y, ...CARD },
})

function columnsBlock(lists: NestedList[], path: string, keys: Map<string, string>): Block {
  const columns = lists.map((nested) => listBlock(nested.steps, path + nested.key, keys, keys.get(path)! + nested.key))
  const axes: number[] = []
  let width = 0
  for (const column of columns) {
    axes.push(width + column.left)
    width += column.left + column.right + COLUMN_GAP
  }
  width -= COLUMN_GAP
  // The card stands over the middle column, or between the two middle ones.
  const axis = (axes[(axes.length - 1) >> 1]! + axes[axes.length >> 1]!) / 2
  const tallest = Math.max(...columns.map((column) => column.height))
  const half = CARD.width / 2
  return {
    left: Math.max(half, axis),
    right: Math.max(half, width - axis),
    height: CARD.height + 2 * FORK + LABEL_HEIGHT + tallest + JOIN,
    ends: columns.every((column) => column.ends),
    place(x, y, into) {
      into.nodes.push(card(path, keys, x, y))
      const fork = y + CARD.height + FORK
      const labels = fork + FORK
      const join = labels + LABEL_HEIGHT + tallest + JOIN
      for (const [i, column] of columns.entries()) {
        const nested = lists[i]!
        const at = x - axis + axes[i]!
        into.lines.push({
          id: `${path}:fork:${i}`,
          key: `fork ${i} of ${keys.get(path)}`,
          points:
            at === x
              ? [
                  [x, y + CARD.height],
                  [at, labels],
                ]
              : [
                  [x, y + CARD.height],
                  [x, fork],
                  [at, fork],
                  [at, labels],
                ],
          arrow: false,
        })
        const labelWidth = nested.steps.length ? CARD.width - 48 : EMPTY_WIDTH
        into.nodes.push({
          type: 'label',
          id: `label:${keys.get(path)}${nested.key}`,
          branch: path,
          role: nested.role,
          index: nested.index,
          box: { x: at - labelWidth / 2, y: labels, width: labelWidth, height: LABEL_HEIGHT },
        })
        column.place(at, labels + LABEL_HEIGHT, into)
        const bottom = labels + LABEL_HEIGHT + column.height
        if (!column.ends)
          into.lines.push({
            id: `${path}:join:${i}`,
            key: `join ${i} of ${keys.get(path)}`,
            points:
              at === x
                ? [
                    [at, bottom],
                    [x, join],
                  ]
                : [
                    [at, bottom],
                    [at, join],
                    [x, join],
                  ],
            arrow: false,
          })
      }
    },
  }
}

/** The frame begins at the middle of the loop's own card, which so sits on its edge. */
function frameBlock(body: NestedList, path: string, keys: Map<string, string>): Block {
  const steps = listBlock(body.steps, path + body.key, keys, keys.get(path)!)
  const left = Math.max(CARD.width / 2, steps.left) + FRAME_PADDING
  const right = Math.max(CARD.width / 2, steps.right) + FRAME_PADDING
  const height = CARD.height + steps.height
  return {
    left,
    right,
    height,
    ends: false,
    place(x, y, into) {
      const top = y + CARD.height / 2
      into.nodes.push({
        type: 'frame',
        id: `frame:${keys.get(path)}`,
        path,
        box: { x: x - left, y: top, width: left + right, height: y + height - top },
      })
      into.nodes.push(card(path, keys, x, y))
      steps.place(x, y + CARD.height, into)
    },
  }
}

const CORNER = 8

/** The line as an SVG path, its corners rounded. */
export function linePath(points: Line['points']): string {
  const [first, ...rest] = points
  let path = `M${first![0]},${first![1]}`
  for (const [i, [x, y]] of rest.entries()) {
    const next = rest[i + 1]
    if (!next) {
      path += `L${x},${y}`
      continue
    }
    const before = points[i]!
    const [inX, inY] = towards([x, y], before)
    const [outX, outY] = towards([x, y], next)
    path += `L${inX},${inY}Q${x},${y} ${outX},${outY}`
  }
  return path
}

function towards([x, y]: [number, number], [toX, toY]: [number, number]): [number, number] {
  const distance = Math.hypot(toX - x, toY - y)
  const share = distance === 0 ? 0 : Math.min(CORNER, distance / 2) / distance
  return [x + (toX - x) * share, y + (toY - y) * share]
}
