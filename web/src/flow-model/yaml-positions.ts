// Where in a YAML text something stands, by its JSON Pointer.
import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml'
import { pointer } from '../../../src/flow/issue.ts'

export interface TextRange {
  from: number
  to: number
}

/** The value at each pointer, or the nearest thing around it that is there. */
export function yamlPositions(text: string, pointers: readonly string[]): Map<string, TextRange> {
  const places = placesIn(text)
  const positions = new Map<string, TextRange>()
  for (const wanted of pointers)
    for (let at = wanted; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const range = places.get(at)
      if (range) positions.set(wanted, range)
      if (range || at === '') break
    }
  return positions
}

interface Open {
  path: string
  range: TextRange | null
  /** Of a list the next place; of an object the key whose value comes next, null before a key. */
  next: number | string | null
}

function placesIn(text: string): Map<string, TextRange> {
  const places = new Map<string, TextRange>()
  const open: Open[] = []
  for (const event of eventsOf(text)) {
    if (event.type === EVENT_ID.DOCUMENT) open.push({ path: '', range: null, next: null })
    else if (event.type === EVENT_ID.POP) {
      const { range } = open.pop()!
      // What is around it ends where it ends, or later.
      if (range && open.at(-1)?.range) open.at(-1)!.range!.to = Math.max(open.at(-1)!.range!.to, range.to)
    } else place(event, text, open, places)
  }
  return places
}

function place(
  event: Exclude<Event, { type: typeof EVENT_ID.DOCUMENT | typeof EVENT_ID.POP }>,
  text: string,
  open: Open[],
  places: Map<string, TextRange>,
): void {
  const around = open.at(-1)!
  const range = rangeOf(event)
  if (around.range && range) around.range.to = Math.max(around.range.to, range.to)
  const isScalar = event.type === EVENT_ID.SCALAR
  if (open.length > 1 && around.next === null && isScalar) {
    around.next = getScalarValue(text, event)
    return
  }
  const path = open.length === 1 ? '' : pointer(around.path, around.next ?? '')
  if (open.length > 1) around.next = typeof around.next === 'number' ? around.next + 1 : null
  if (range) places.set(path, range)
  if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE)
    open.push({ path, range, next: event.type === EVENT_ID.SEQUENCE ? 0 : null })
}

function rangeOf(event: Event): TextRange | null {
  if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) return { from: event.start, to: event.start }
  if (event.type !== EVENT_ID.SCALAR || event.valueStart === -1) return null
  const quoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED ? 1 : 0
  return { from: event.valueStart - quoted, to: event.valueEnd + quoted }
}

function eventsOf(text: string): Event[] {
  try {
    return parseEvents(text, {})
  } catch (error) {
    if (error instanceof YAMLException) return []
    throw error
  }
}
