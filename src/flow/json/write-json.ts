// JSON.stringify for large data, in several turns of the event loop: it writes parts of the data natively, and puts together what is larger
// than a part. So what data costs at once does not depend on its size.
import { LoopTurns } from '../../base/waiting.ts'
import { weigh } from './weigh.ts'

/** What takes more memory takes long to be written. */
const LARGE_BYTES = 65_536

/** So many characters are written between two looks at the clock. */
const PART = 32_768
/** What a value counts besides its characters. */
const VALUE = 16
/** An object or list with so many values, none of which is another or a longer text, is small: it is written natively. */
const FEW = 64
const SHORT_TEXT = 256

interface Frame {
  readonly value: object
  /** null: a list. */
  readonly names: readonly string[] | null
  at: number
  isEmpty: boolean
}

/** Returns whether the value is to be written in several turns. */
export const isLarge = (value: unknown): boolean => weigh(value, LARGE_BYTES) > LARGE_BYTES

/** Returns what JSON.stringify would, for JSON data. */
export async function writeJson(value: unknown, turns = new LoopTurns()): Promise<string> {
  const writing = new Writing(value)
  while (!writing.isDone) {
    if (turns.isOver) await turns.next()
    writing.goOn()
  }
  return writing.text
}

class Writing {
  readonly #parts: string[] = []
  #pieces: string[] = []
  #left = 0
  readonly #frames: Frame[] = []
  /** A long text, and how much of it is written. */
  #long: { text: string; at: number } | null = null

  constructor(value: unknown) {
    this.#write(value)
  }

  get isDone(): boolean {
    return this.#frames.length === 0 && this.#long === null
  }

  get text(): string {
    return [...this.#parts, ...this.#pieces].join('')
  }

  /** Writes about one part. */
  goOn(): void {
    this.#left = PART
    while (this.#left > 0 && !this.isDone) {
      const frame = this.#frames.at(-1)
      if (this.#long) this.#writeLong(this.#long)
      else if (frame!.names) this.#writeField(frame!, frame!.names)
      else this.#writeItems(frame!, frame!.value as unknown[])
    }
    this.#parts.push(this.#pieces.join(''))
    this.#pieces = []
  }

  #write(value: unknown): void {
    if (typeof value === 'string' && value.length > PART) {
      this.#long = { text: value, at: 0 }
      this.#add('"')
    } else if (typeof value !== 'object' || value === null || smallSize(value) >= 0) this.#add(JSON.stringify(value))
    else {
      const names = Array.isArray(value) ? null : Object.keys(value)
      this.#frames.push({ value, names, at: 0, isEmpty: true })
      this.#add(names ? '{' : '[')
    }
  }

  #add(piece: string): void {
    this.#pieces.push(piece)
    this.#left -= VALUE + piece.length
  }

  #writeLong(long: { text: string; at: number }): void {
    const { text, at } = long
    let end = Math.min(at + PART, text.length)
    // Half a pair of surrogates would be escaped.
    if (end < text.length && isHigh(text.charCodeAt(end - 1))) end--
    this.#add(JSON.stringify(text.slice(at, end)).slice(1, -1))
    long.at = end
    if (end < text.length) return
    this.#add('"')
    this.#long = null
  }

  #writeField(frame: Frame, names: readonly string[]): void {
    if (frame.at === names.length) {
      this.#close('}')
      return
    }
    const name = names[frame.at++]!
    const value = shownValue((frame.value as Record<string, unknown>)[name])
    if (value === undefined) return
    this.#add(`${frame.isEmpty ? '' : ','}${JSON.stringify(name)}:`)
    frame.isEmpty = false
    this.#write(value)
  }

  #writeItems(frame: Frame, list: readonly unknown[]): void {
    const from = frame.at
    let chars = 0
    for (; frame.at < list.length && chars < this.#left; frame.at++) {
      const size = smallSize(list[frame.at])
      if (size < 0) break
      chars += size
    }
    if (frame.at > from) {
      this.#add(`${frame.isEmpty ? '' : ','}${JSON.stringify(list.slice(from, frame.at)).slice(1, -1)}`)
      frame.isEmpty = false
    } else if (frame.at === list.length) this.#close(']')
    else {
      if (!frame.isEmpty) this.#add(',')
      frame.isEmpty = false
      this.#write(shownValue(list[frame.at++]) ?? null)
    }
  }

  #close(end: string): void {
    this.#frames.pop()
    this.#add(end)
  }
}

/** Returns what a handle, such as that of a step's own steps, shows of itself; data shows all. */
const shownValue = (value: unknown): unknown =>
  typeof (value as { toJSON?: unknown } | null | undefined)?.toJSON === 'function'
    ? (value as { toJSON(): unknown }).toJSON()
    : value

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** Returns about how long the JSON of a small value is; -1 if the value is not small. */
function smallSize(value: unknown): number {
  if (typeof value !== 'object' || value === null) return shortSize(value)
  return Array.isArray(value) ? smallList(value) : smallObject(value as Record<string, unknown>)
}

function smallList(list: readonly unknown[]): number {
  if (list.length > FEW) return -1
  let size = VALUE
  for (const item of list) {
    const part = shortSize(item)
    if (part < 0) return -1
    size += part
  }
  return size
}

function smallObject(object: Record<string, unknown>): number {
  let size = VALUE
  let count = 0
  for (const name in object) {
    const part = shortSize(object[name])
    if (++count > FEW || name.length > SHORT_TEXT || part < 0) return -1
    size += part + name.length
  }
  return size
}

function shortSize(value: unknown): number {
  if (typeof value === 'string') return value.length > SHORT_TEXT ? -1 : VALUE + value.length
  return typeof value === 'object' && value !== null ? -1 : VALUE
}
