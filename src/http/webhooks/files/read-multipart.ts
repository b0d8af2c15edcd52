// Reads a multipart body (RFC 7578) part by part, as it comes, within limits on parts, heads and the bytes of text.
import { isUtf8 } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CODE } from '../../../base/error-catalogue.ts'
import { MOST_FIELDS } from '../../../flow/form-pairs.ts'
import { Rejection } from '../../../operations/deliveries/rejection.ts'
import { readPartHead } from './part-head.ts'

/** Each one is written and made durable on its own. */
export const MOST_FILES = 100
const LONGEST_HEAD = 16_384
const LONGEST_PADDING = 100
/** After so many parts, or so much text, other events of the loop have their turn. */
const PARTS_AT_ONCE = 100
const TEXT_AT_ONCE = 65_536
const BOUNDARY = /;[ \t]*boundary[ \t]*=[ \t]*(?:"([^"\\]{1,70})"|([^\s;"]{1,70}))[ \t]*(?:;|$)/i

export interface PartFile {
  field: string
  name: string
  contentType: string | null
  bytes: AsyncIterable<Uint8Array>
}

export interface Parts<T> {
  fields: [name: string, value: string][]
  files: T[]
}

export interface PartTaker<T> {
  contentType: string
  mostTextBytes: number
  /** Is told how many bytes besides the files have come. Throws Rejection if there is no room for them. */
  holdText(bytes: number): void
  /** Reads a file to its end. */
  takeFile(file: PartFile): Promise<T>
}

const bad = (message: string): Rejection => new Rejection(CODE.bad_request, message)
const cutShort = (): Rejection => bad('The form ends before its closing boundary.')

const LINE_END = Buffer.from('\r\n')
const HEAD_END = Buffer.from('\r\n\r\n')
const CLOSING = '--'
const EMPTY = Buffer.alloc(0)

/** Rejects with what `takeFile` or the source throws, or with Rejection. */
export async function readMultipart<T>(source: AsyncIterable<Uint8Array>, taker: PartTaker<T>): Promise<Parts<T>> {
  const input = new Input(source, taker)
  const boundary = BOUNDARY.exec(taker.contentType)
  if (!boundary) throw bad('The Content-Type names no boundary.')
  const delimiter = Buffer.from(`\r\n--${boundary[1] ?? boundary[2]}`, 'latin1')
  const fields: [string, string][] = []
  const files: T[] = []
  for await (const _preamble of input.upTo(delimiter));
  let turnAt = input.textBytes
  for (let parts = 1; !(await isClosed(input)); parts++) {
    if (parts % PARTS_AT_ONCE === 0 || input.textBytes - turnAt > TEXT_AT_ONCE) {
      turnAt = input.textBytes
      await nextTurn()
    }
    if (parts > MOST_FIELDS) throw bad(`The form has more than ${MOST_FIELDS.toLocaleString('en')} parts.`)
    // The line break of the boundary comes first: it may begin the empty line that ends the head.
    const head = readPartHead((await input.line(HEAD_END, LONGEST_HEAD)).subarray(LINE_END.length))
    if (!head) throw bad('A part of the form has no name, or a head that cannot be read.')
    const { field, filename, contentType } = head
    if (filename === undefined) fields.push([field, await input.text(delimiter)])
    else {
      if (files.length === MOST_FILES) throw bad(`The form has more than ${MOST_FILES} files.`)
      const bytes = input.upTo(delimiter, true)
      files.push(await taker.takeFile({ field, name: filename, contentType, bytes }))
    }
  }
  await input.toEnd()
  return { fields, files }
}

/** Reads what follows a boundary: the end of its line, or the sign that it was the last one. */
async function isClosed(input: Input): Promise<boolean> {
  if (await input.takes(CLOSING)) return true
  const rest = await input.line(LINE_END, LONGEST_PADDING, false)
  if (rest.toString('latin1').trim() !== '') throw bad('The form has a boundary with more after it.')
  return false
}

/** What has come and is not read yet. */
class Input {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #taker: Pick<PartTaker<unknown>, 'mostTextBytes' | 'holdText'>
  /** The boundary of the first part has no line break before it. */
  #bytes: Buffer = LINE_END
  #text = -LINE_END.length

  constructor(source: AsyncIterable<Uint8Array>, taker: Pick<PartTaker<unknown>, 'mostTextBytes' | 'holdText'>) {
    this.#source = source[Symbol.asyncIterator]()
    this.#taker = taker
  }

  /** How much has been read besides files. */
  get textBytes(): number {
    return this.#text
  }

  /** Yields what is before the mark, and leaves the mark behind. Large pieces are never copied. */
  async *upTo(mark: Buffer, isFile = false): AsyncIterable<Uint8Array> {
    for (;;) {
      const at = this.#bytes.indexOf(mark)
      // The mark may have begun at the end of what has come.
      const end = at === -1 ? Math.max(0, this.#bytes.length - mark.length + 1) : at
      if (end > 0) {
        if (!isFile) this.#countText(end)
        yield this.#bytes.subarray(0, end)
      }
      this.#bytes = this.#bytes.subarray(at === -1 ? end : end + mark.length)
      if (at !== -1) return this.#countText(mark.length)
      const rest = this.#bytes
      this.#bytes = EMPTY
      if (!(await this.#more())) throw cutShort()
      const next = this.#bytes
      const seam = Buffer.concat([rest, next.subarray(0, mark.length - 1)])
      if (seam.includes(mark) || next.length < mark.length) this.#bytes = Buffer.concat([rest, next])
      else if (rest.length > 0) {
        if (!isFile) this.#countText(rest.length)
        yield rest
      }
    }
  }

  async text(mark: Buffer): Promise<string> {
    const at = this.#bytes.indexOf(mark)
    let text: Buffer
    if (at === -1) {
      const all: Uint8Array[] = []
      for await (const chunk of this.upTo(mark)) all.push(chunk)
      text = Buffer.concat(all)
    } else text = this.#take(at, mark.length)
    if (!isUtf8(text)) throw bad('A field of the form is not valid UTF-8.')
    return text.toString()
  }

  /** Returns what is before the mark, which has to come soon. `past`: whether the mark is left behind. */
  async line(mark: Buffer, most: number, past = true): Promise<Buffer> {
    for (;;) {
      const at = this.#bytes.indexOf(mark)
      if (at > most || (at === -1 && this.#bytes.length > most + mark.length))
        throw bad('A head in the form is too long.')
      if (at !== -1) return this.#take(at, past ? mark.length : 0)
      if (!(await this.#more())) throw cutShort()
    }
  }

  async takes(text: string): Promise<boolean> {
    while (this.#bytes.length < text.length) if (!(await this.#more())) throw cutShort()
    if (this.#bytes.toString('latin1', 0, text.length) !== text) return false
    this.#bytes = this.#bytes.subarray(text.length)
    return true
  }

  /** Reads and forgets the rest. */
  async toEnd(): Promise<void> {
    do {
      this.#countText(this.#bytes.length)
      this.#bytes = EMPTY
    } while (await this.#more())
  }

  /** Takes text that has come, and leaves as many bytes behind it. */
  #take(end: number, past: number): Buffer {
    const taken = this.#bytes.subarray(0, end)
    this.#bytes = this.#bytes.subarray(end + past)
    this.#countText(end + past)
    return taken
  }

  #countText(bytes: number): void {
    this.#text += bytes
    const { mostTextBytes, holdText } = this.#taker
    if (this.#text > mostTextBytes)
      throw new Rejection(CODE.payload_too_large, `The form has more than ${mostTextBytes} bytes besides its files.`)
    holdText(this.#text)
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#source.next()
    if (done) return false
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
    return true
  }
}
