// What the canvas needs to know, be it of a draft that is edited or of a run that is looked at.
import { createContext, useContext } from 'react'
import type { RunStatus, StepKindInfo } from '../../api/api-types.ts'
import type { FieldIssue } from '../../fields/field-context.tsx'
import type { EditedFlow, Note, Position, StepPlace } from '../../flow-model/flow-tree.ts'
import type { Outcome } from '../../flow-model/outcomes.ts'
import type { TakenPath } from '../../flow-model/taken-path.ts'

export interface ShownFailure {
  selected: boolean
  /** What is done for flows that say nothing about it. */
  instead: string
  /** Of a run that is looked at: what became of it. */
  status: RunStatus | null
}

export interface CanvasValue {
  document: EditedFlow
  readOnly: boolean
  /** How small cards may be drawn to show all of the flow at first. */
  leastZoom: number
  kinds: readonly StepKindInfo[]
  issues: readonly FieldIssue[]
  /** By step id. */
  outcomes: ReadonlyMap<string, Outcome>
  /** The way a run took; null where the flow is not looked at as a run. */
  taken: TakenPath | null
  selected: StepPlace | null
  /** Keys of the cards that were chosen together. */
  marked: ReadonlySet<string>
  triggerSelected: boolean
  /** The card of what is done when a run fails; null: there is none. */
  failure: ShownFailure | null
  /** Beside the trigger's name. */
  triggerNote: string
  /** By the key of its card. */
  openStep(key: string): void
  /** Chooses a card in addition to those that are chosen, or all cards up to it. */
  mark(key: string, how: 'toggle' | 'range'): void
  openTrigger(): void
  openFailure(): void
  moveTo(place: StepPlace, position: Position): void
  /** `merge`: edits with the same name, one soon after the other, are undone as one. */
  changeNotes(notes: Note[], label: string, merge?: string): void
  /** Where a step is being added, while the menu of kinds is open. */
  adding: Position | null
  setAdding(position: Position | null): void
}

export const CanvasContext = createContext<CanvasValue | null>(null)

export function useCanvas(): CanvasValue {
  const value = useContext(CanvasContext)
  if (!value) throw new Error('A part of the canvas is outside of it.')
  return value
}
