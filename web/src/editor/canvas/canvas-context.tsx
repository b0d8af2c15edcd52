// What the canvas needs to know, be it of a draft that is edited or of a run that is looked at.
import { createContext, useContext } from 'react'
import type { StepKindInfo } from '../../api/api-types.ts'
import type { FieldIssue } from '../../fields/field-context.tsx'
import type { EditedFlow, Position, StepPlace } from '../../flow-model/flow-tree.ts'
import type { Outcome } from '../../flow-model/outcomes.ts'

export interface CanvasValue {
  document: EditedFlow
  readOnly: boolean
  /** How small cards may be drawn to show all of the flow at first. */
  leastZoom: number
  kinds: readonly StepKindInfo[]
  issues: readonly FieldIssue[]
  /** By step id. */
  outcomes: ReadonlyMap<string, Outcome>
  selected: StepPlace | null
  triggerSelected: boolean
  /** Beside the trigger's name. */
  triggerNote: string
  /** By the key of its card. */
  openStep(key: string): void
  openTrigger(): void
  moveTo(place: StepPlace, position: Position): void
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
