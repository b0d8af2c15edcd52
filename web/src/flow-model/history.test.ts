import { expect, it } from 'vitest'
import { edited, newHistory, redoLabel, redone, undoLabel, undone } from './history.ts'

it('goes back and forth, and names what it would undo and redo', () => {
  let history = newHistory('a')
  history = edited(history, 'b', { label: 'Add order', at: 0 })
  history = edited(history, 'c', { label: 'Delete tell', at: 1 })
  expect(undoLabel(history)).toBe('Delete tell')
  history = undone(history)
  expect([history.present, undoLabel(history), redoLabel(history)]).toEqual(['b', 'Add order', 'Delete tell'])
  history = undone(undone(history))
  expect([history.present, undoLabel(history)]).toEqual(['a', null])
  history = redone(redone(redone(history)))
  expect([history.present, redoLabel(history)]).toEqual(['c', null])
})

it('forgets what was undone once something else is edited', () => {
  const history = edited(undone(edited(newHistory('a'), 'b', { label: 'b', at: 0 })), 'c', { label: 'c', at: 1 })
  expect(redone(history).present).toBe('c')
})

it('takes the letters of one field as one edit, until a pause or another field', () => {
  let history = newHistory('')
  for (const [text, merge, at] of [
    ['a', 'url', 0],
    ['ab', 'url', 900],
    ['abc', 'url', 1_800],
    ['abc d', 'url', 9_000],
    ['abc de', 'name', 9_100],
  ] as const)
    history = edited(history, text, { label: merge, merge, at })
  history = undone(history)
  expect(history.present).toBe('abc d')
  history = undone(history)
  expect(history.present).toBe('abc')
  expect(undone(history).present).toBe('')
})

it('keeps a bounded past, and nothing of an edit that changes nothing', () => {
  let history = newHistory(0)
  for (let i = 1; i <= 500; i++) history = edited(history, i, { label: 'n', at: i })
  expect(history.past).toHaveLength(200)
  expect(edited(history, 500, { label: 'same', at: 501 })).toBe(history)
})
