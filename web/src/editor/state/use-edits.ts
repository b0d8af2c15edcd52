// The edits that menus and keys offer, with the selection that follows them.
import { useMemo } from 'react'
import type { StepDocument } from '../../../../src/flow/document.ts'
import {
  changeKind,
  type Direction,
  deleteStep,
  duplicateStep,
  type Edited,
  insertCopies,
  insertStep,
  moveStep,
  moveTowards,
  newStep,
  renameStep,
} from '../../flow-model/edit-steps.ts'
import {
  type EditedFlow,
  isInside,
  type Note,
  ON_FAILURE,
  type Position,
  type StepPlace,
  stepKeys,
  withValue,
} from '../../flow-model/flow-tree.ts'
import { withNotes } from '../../flow-model/notes.ts'
import { nearestKey } from '../../flow-model/select-step.ts'
import { plural } from '../../ui/format.ts'
import { type EditorValue, useEditor } from './editor-context.tsx'
import type { EditorSearch } from './selection.ts'

export interface Edits {
  add(position: Position, kind: string, settings?: Record<string, unknown>): void
  paste(position: Position, steps: StepDocument[]): void
  duplicate(place: StepPlace): void
  remove(place: StepPlace): void
  duplicateAll(places: readonly StepPlace[]): void
  removeAll(places: readonly StepPlace[]): void
  move(place: StepPlace, direction: Direction): boolean
  moveTo(place: StepPlace, position: Position): void
  rename(place: StepPlace, id: string): void
  changeKind(place: StepPlace, kind: string): void
  replace(place: StepPlace, step: StepDocument, label: string): void
  changeNotes(notes: Note[], label: string, merge?: string): void
  undo(): void
}

export function useEdits(): Edits {
  const { editor, open, search, readOnly, setNotice } = useEditor()
  return useMemo(
    () => editsOf(editor, open, search.view, readOnly, setNotice),
    [editor, open, search.view, readOnly, setNotice],
  )
}

function editsOf(
  editor: EditorValue['editor'],
  open: EditorValue['open'],
  view: 'yaml' | undefined,
  readOnly: boolean,
  setNotice: EditorValue['setNotice'],
): Edits {
  const now = () => editor.state.document
  const shown = view ? { view } : {}
  const select = (document: EditedFlow, path: string) =>
    open({ step: stepKeys(document).get(path)!, ...shown }, { replace: true })
  const take = ({ document, path }: Edited, label: string) => {
    if (readOnly) return
    editor.edit(document, { label })
    select(document, path)
  }
  return {
    add(position, kind, settings = {}) {
      const step = { ...newStep(now(), kind), ...settings }
      take(insertStep(now(), position, step), `Add ${step.id}`)
    },
    paste: (position, steps) => take(insertCopies(now(), position, steps), 'Paste'),
    duplicate: ({ path, step }) => take(duplicateStep(now(), path), `Duplicate ${step.id}`),
    remove({ path, step }) {
      if (readOnly) return
      const document = deleteStep(now(), path)
      editor.edit(document, { label: `Delete ${step.id}` })
      const next = nearestKey(document, path)
      const above: EditorSearch = isInside(path, ON_FAILURE) ? { failure: true } : { trigger: true }
      open({ ...(next === null ? above : { step: next }), ...shown }, { replace: true })
      const undo = () => {
        if (editor.state.document === document) editor.undo()
        else editor.edit(insertCopies(now(), positionOf(path), [step]).document, { label: `Bring back ${step.id}` })
        open({ step: step.id, ...shown }, { replace: true })
      }
      setNotice({ message: `Deleted ${step.id || 'a step'}`, undo })
    },
    duplicateAll(places) {
      const last = places.at(-1)!
      const steps = places.map(({ step }) => step)
      take(
        insertCopies(now(), { list: last.list, index: last.index + 1 }, steps),
        `Duplicate ${plural(steps.length, 'step')}`,
      )
    },
    removeAll(places) {
      if (readOnly) return
      // From the last to the first: the pointers of those before it stay.
      const document = places.reduceRight((left, { path }) => deleteStep(left, path), now())
      const what = plural(places.length, 'step')
      editor.edit(document, { label: `Delete ${what}` })
      open({ trigger: true, ...shown }, { replace: true })
      const undo = () => {
        if (editor.state.document === document) editor.undo()
      }
      setNotice({ message: `Deleted ${what}`, undo })
    },
    move({ path, step }, direction) {
      const moved = moveTowards(now(), path, direction)
      if (moved) take(moved, `Move ${step.id}`)
      return moved !== null
    },
    moveTo({ path, step }, position) {
      const moved = moveStep(now(), path, position)
      if (moved) take(moved, `Move ${step.id}`)
    },
    rename: ({ path, step }, id) => take({ document: renameStep(now(), path, id), path }, `Rename ${step.id} to ${id}`),
    changeKind: ({ path, step }, kind) =>
      take({ document: changeKind(now(), path, kind), path }, `Make ${step.id} a ${kind} step`),
    replace: ({ path }, step, label) => take({ document: withValue(now(), path, step), path }, label),
    changeNotes(notes, label, merge) {
      if (!readOnly) editor.edit(withNotes(now(), notes), { label, ...(merge === undefined ? {} : { merge }) })
    },
    undo() {
      // The notice offers the same way back: taken twice, it would bring the step back twice.
      setNotice(null)
      editor.undo()
    },
  }
}

function positionOf(path: string): Position {
  const [, list, index] = /^(.*)\/(\d+)$/.exec(path)!
  return { list: list!, index: Number(index) }
}
