// Notes on the canvas: each hangs on the card of its step, or on the trigger's, and moves along with it.
import { allSteps, type EditedFlow, type Note } from './flow-tree.ts'
import { type Box, CARD, type Layout } from './layout.ts'

export const MOST_NOTES = 50
export const LONGEST_NOTE = 2_000
const NOTE_WIDTH = 208
const LINE_HEIGHT = 17
/** Of characters in a line, at the width above. */
const LINE_LENGTH = 30
const MOST_LINES = 12

export interface LaidNote {
  index: number
  text: string
  box: Box
}

/** A document with other notes; without any, the key is not there. */
export function withNotes(document: EditedFlow, notes: Note[]): EditedFlow {
  const { notes: _notes, ...rest } = document
  return notes.length === 0 ? rest : { ...rest, notes }
}

export const notesOf = ({ notes }: EditedFlow): Note[] => (Array.isArray(notes) ? notes : [])

/** Beside the card, below the notes that hang there already. */
export function newNote(document: EditedFlow, stepId: string | null): Note {
  const beside = notesOf(document).filter(({ step }) => (step ?? null) === stepId)
  const place = { x: CARD.width + 24, y: beside.length * 72 }
  return { text: '', ...(stepId === null ? {} : { step: stepId }), ...place }
}

export function layoutNotes(document: EditedFlow, layout: Layout): LaidNote[] {
  const paths = new Map(allSteps(document).map(({ step, path }) => [step.id, path]))
  const cards = new Map(layout.nodes.flatMap((node) => (node.type === 'step' ? [[node.path, node.box]] : [])))
  const trigger = layout.nodes[0]!.box
  return notesOf(document).map(({ text, step, x, y }, index) => {
    const card = cards.get(paths.get(step ?? '') ?? '') ?? trigger
    const size = { width: NOTE_WIDTH, height: heightOf(String(text)) }
    return { index, text: String(text), box: { x: card.x + finite(x), y: card.y + finite(y), ...size } }
  })
}

/** A draft may hold anything that is a number. */
const finite = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)

/** Text is not measured: what is longer than the estimate scrolls. */
function heightOf(text: string): number {
  let lines = 0
  for (const line of text.split('\n', MOST_LINES)) lines += Math.max(1, Math.ceil(line.length / LINE_LENGTH))
  return Math.min(MOST_LINES, Math.max(2, lines)) * LINE_HEIGHT + 18
}

/** A note as it is once its card was dragged by this much. */
export function movedNote(note: Note, by: { x: number; y: number }): Note {
  return { ...note, x: Math.round(finite(note.x) + by.x), y: Math.round(finite(note.y) + by.y) }
}

export function renamedNotes(document: EditedFlow, before: string, after: string): EditedFlow {
  const notes = notesOf(document)
  if (!notes.some(({ step }) => step === before)) return document
  return withNotes(
    document,
    notes.map((note) => (note.step === before ? { ...note, step: after } : note)),
  )
}
