import { expect, it } from 'vitest'
import { renameStep } from './edit-steps.ts'
import type { EditedFlow } from './flow-tree.ts'
import { layoutFlow } from './layout.ts'
import { layoutNotes, movedNote, newNote, notesOf, withNotes } from './notes.ts'
import { sampleFlow } from './sample-flow.testkit.ts'

const noted = (): EditedFlow => withNotes(sampleFlow(), [{ text: 'Hello', step: 'order', x: 300, y: 5 }])

it('a note stands beside its step, wherever that stands', () => {
  const flow = noted()
  const before = layoutNotes(flow, layoutFlow(flow))[0]!.box
  const later = { ...flow, steps: [{ id: 'first', kind: 'wait', seconds: 1 }, ...flow.steps] }
  const after = layoutNotes(later, layoutFlow(later))[0]!.box
  expect(after.x).toBe(before.x)
  expect(after.y).toBe(before.y + 100)
})

it('a note of a step that is gone stands at the trigger', () => {
  const flow = { ...noted(), steps: [] }
  expect(layoutNotes(flow, layoutFlow(flow))[0]!.box).toMatchObject({ x: 300, y: 5 })
})

it('a renamed step keeps its notes', () => {
  expect(notesOf(renameStep(noted(), '/steps/0', 'purchase'))[0]!.step).toBe('purchase')
})

it('new notes of a card do not cover each other', () => {
  const flow = sampleFlow()
  const first = newNote(flow, 'order')
  expect(newNote(withNotes(flow, [first]), 'order').y).toBeGreaterThan(first.y)
  expect(newNote(withNotes(flow, [first]), null)).toEqual({ text: '', x: first.x, y: 0 })
})

it('a dragged note is stored in whole pixels, and the last one takes the key along', () => {
  expect(movedNote({ text: '', x: 1, y: 2 }, { x: 0.4, y: -10.6 })).toEqual({ text: '', x: 1, y: -9 })
  expect(withNotes(noted(), [])).toEqual(sampleFlow())
})
