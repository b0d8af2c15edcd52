// The keys of the canvas. They hold while the focus is on it or nowhere; in fields and panels a key means itself.
import { useEffect, useRef } from 'react'
import { stepsToText, textToSteps } from '../flow-model/clipboard.ts'
import type { Direction } from '../flow-model/edit-steps.ts'
import { type EditedFlow, ON_FAILURE, type Position, stepKeys } from '../flow-model/flow-tree.ts'
import { neighbour } from '../flow-model/select-step.ts'
import { commandKey } from '../shell/command-key.ts'
import { type KeyBinding, usePageKeys } from '../shell/commands.ts'
import { isTyping } from '../shell/is-typing.ts'
import { type EditorValue, useEditor } from './state/editor-context.tsx'
import type { EditorSearch } from './state/selection.ts'
import { type Edits, useEdits } from './state/use-edits.ts'
import { chosenPlaces, startOfMarks } from './state/use-marks.ts'

const KEYS: KeyBinding[] = [
  { keys: ['↑', '↓'], label: 'Go to the step before or after' },
  { keys: ['←', '→'], label: 'Go from case to case' },
  { keys: ['⇧', '↑ ↓'], label: 'Choose several steps' },
  { keys: [commandKey, 'F'], label: 'Find a step' },
  { keys: ['A'], label: 'Add a step after this one' },
  { keys: ['Alt', '↑ ↓'], label: 'Move the step' },
  { keys: ['Alt', '← →'], label: 'Move it out of, into or between cases' },
  { keys: ['Enter'], label: 'Edit the step' },
  { keys: ['T'], label: 'Test the step' },
  { keys: ['D'], label: 'Duplicate the step' },
  { keys: ['⌫'], label: 'Delete the step' },
  { keys: [commandKey, 'C / V'], label: 'Copy and paste steps' },
  { keys: [commandKey, 'Z'], label: 'Undo' },
  { keys: [commandKey, '⇧', 'Z'], label: 'Redo' },
]

const DIRECTIONS: Record<string, Direction> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
}

export function useEditorKeys(focusPanel: () => void): void {
  usePageKeys(KEYS)
  const value = useEditor()
  const edits = useEdits()
  const latest = useRef({ value, edits, focusPanel })
  useEffect(() => {
    latest.current = { value, edits, focusPanel }
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyping(event.target)) return
      const { value: now, edits: does, focusPanel: focus } = latest.current
      if (undoKey(event, now, does) || (isOnCanvas(event.target) && canvasKey(event, now, does, focus)))
        event.preventDefault()
    }
    const onCopy = (event: ClipboardEvent) => {
      const chosen = chosenPlaces(latest.current.value)
      if (chosen.length === 0 || isTyping(event.target) || !isOnCanvas(document.activeElement)) return
      if (getSelection()?.toString()) return
      const steps = chosen.map(({ step }) => step)
      event.clipboardData?.setData('text/plain', stepsToText(steps))
      event.preventDefault()
    }
    const onPaste = (event: ClipboardEvent) => {
      const { value: now, edits: does } = latest.current
      if (now.readOnly || isTyping(event.target) || !isOnCanvas(document.activeElement)) return
      const steps = textToSteps(event.clipboardData?.getData('text/plain') ?? '')
      if (!steps) return
      event.preventDefault()
      does.paste(positionAfter(now), steps)
    }
    document.addEventListener('keydown', onKey)
    document.addEventListener('copy', onCopy)
    document.addEventListener('paste', onPaste)
    return () => {
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('copy', onCopy)
      document.removeEventListener('paste', onPaste)
    }
  }, [])
}

/** On the canvas itself, not in a menu that is open above it. */
const isOnCanvas = (target: EventTarget | null): boolean =>
  target === document.body || (target instanceof HTMLElement && target.closest('[data-canvas]') !== null)

/** After the selected step, or first. */
const positionAfter = ({ selected, search, document: { onFailure } }: EditorValue): Position => {
  if (selected) return { list: selected.list, index: selected.index + 1 }
  // A flow that is called takes no steps beside it.
  const handles = search.failure && (onFailure === undefined || Array.isArray(onFailure))
  return { list: handles ? ON_FAILURE : '/steps', index: 0 }
}

/** The step at a path, the trigger, or what is done when a run fails. */
function cardAt(flow: EditedFlow, path: string | null): EditorSearch {
  if (path === null) return { trigger: true }
  return path === ON_FAILURE ? { failure: true } : { step: stepKeys(flow).get(path)! }
}

function undoKey(
  { key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent,
  { editor, readOnly }: EditorValue,
  edits: Edits,
): boolean {
  if (!(ctrlKey || metaKey) || altKey || readOnly) return false
  const letter = key.toLowerCase()
  if (letter === 'y' || (letter === 'z' && shiftKey)) editor.redo()
  else if (letter === 'z') edits.undo()
  else return false
  return true
}

function canvasKey(event: KeyboardEvent, now: EditorValue, edits: Edits, focusPanel: () => void): boolean {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event
  const { selected, document: flow, readOnly, open, search, setAdding, tests, marked, setMarked } = now
  if (ctrlKey || metaKey) return false
  const view = search.view ? { view: search.view } : {}
  const direction = DIRECTIONS[key]
  if (direction && altKey) {
    if (selected && !readOnly) edits.move(selected, direction)
    return true
  }
  if (direction) {
    const path = neighbour(flow, selected?.path ?? (search.failure ? ON_FAILURE : null), direction, true)
    if (!shiftKey) setMarked(new Set())
    else if (path !== null && path !== ON_FAILURE) setMarked(new Set([...startOfMarks(now), stepKeys(flow).get(path)!]))
    open({ ...cardAt(flow, path), ...view }, { replace: true })
    return true
  }
  if (altKey) return false
  switch (key) {
    case 'Enter':
      // A button that has the focus is pressed by it.
      if ((event.target as HTMLElement).closest('button:not([data-card])')) return false
      focusPanel()
      return true
    case 'Escape':
      if (marked.size > 0) setMarked(new Set())
      else open(view)
      return true
    case 'a':
    case 'A':
      if (!readOnly) setAdding(positionAfter(now))
      return true
    case 'd':
      if (readOnly) return true
      if (marked.size > 0) edits.duplicateAll(chosenPlaces(now))
      else if (selected) edits.duplicate(selected)
      return true
    case 'Backspace':
    case 'Delete':
      if (readOnly) return true
      if (marked.size > 0) {
        edits.removeAll(chosenPlaces(now))
        setMarked(new Set())
      } else if (selected) edits.remove(selected)
      return true
    case 't':
      if (selected && !readOnly) void tests.testStep(selected.step.id)
      return true
    default:
      return false
  }
}
