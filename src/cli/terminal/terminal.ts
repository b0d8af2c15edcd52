// Reads and writes for the command line: colours only for people, questions only if somebody can answer.
import { randomInt } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'
import { CliError, EXIT } from '../exit-code.ts'
import { visible } from './visible.ts'

type Style = Parameters<typeof styleText>[0]

export interface Streams {
  stdin: Readable & { isTTY?: boolean; setRawMode?(raw: boolean): unknown }
  stdout: Writable & { isTTY?: boolean; columns?: number }
  stderr: Writable & { isTTY?: boolean }
}

export class Terminal {
  readonly #streams: Streams
  readonly #plain: boolean

  constructor(streams: Streams, { noColor }: { noColor: boolean }) {
    this.#streams = streams
    this.#plain = noColor
  }

  /** Somebody sits there and can be asked. */
  get isInteractive(): boolean {
    return Boolean(this.#streams.stdin.isTTY && this.#streams.stderr.isTTY)
  }

  /** A person reads the output. */
  get isShown(): boolean {
    return Boolean(this.#streams.stdout.isTTY)
  }

  get columns(): number {
    return this.#streams.stdout.columns ?? Number.POSITIVE_INFINITY
  }

  /** For a command that speaks a protocol of its own on stdin and stdout. */
  get protocolStreams(): Pick<Streams, 'stdin' | 'stdout'> {
    return this.#streams
  }

  out(text: string): void {
    this.#streams.stdout.write(shown(text))
  }

  /** A document: to the byte, where it goes into a file or another program. */
  outDocument(text: string): void {
    if (this.isShown) this.out(text)
    else this.#streams.stdout.write(withLineEnd(text))
  }

  err(text: string): void {
    this.#streams.stderr.write(shown(text))
  }

  /** One line that replaces itself, for a person; empty, it goes away. */
  progress(text: string): void {
    if (this.#streams.stderr.isTTY) this.#streams.stderr.write(`\r${visible(text)}\u001b[K`)
  }

  /** Coloured where the result goes to a person. */
  style(style: Style, text: string): string {
    return this.isShown && !this.#plain ? styled(style, text) : text
  }

  styleError(style: Style, text: string): string {
    return this.#streams.stderr.isTTY && !this.#plain ? styled(style, text) : text
  }

  async readStdin(): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of this.#streams.stdin) chunks.push(Buffer.from(chunk))
    return Buffer.concat(chunks)
  }

  /** false where nobody can answer. */
  async confirm(question: string): Promise<boolean> {
    if (!this.isInteractive) return false
    const { stdin, stderr } = this.#streams
    const lines = createInterface({ input: stdin, output: stderr })
    try {
      return /^y(es)?$/i.test((await lines.question(`${visible(question)} [y/N] `)).trim())
    } finally {
      lines.close()
    }
  }

  /** What is typed is not shown. */
  async askSecret(question: string): Promise<string> {
    const { stdin, stderr } = this.#streams
    stderr.write(`${visible(question)}: `)
    stdin.setRawMode?.(true)
    let typed = ''
    let read: (chunk: Buffer | string) => void = () => {}
    try {
      return await new Promise<string>((resolve, reject) => {
        // One listener for all keys: between two of them nothing may be lost.
        read = (chunk) => {
          for (const character of chunk.toString()) {
            if (LINE_ENDS.includes(character)) return resolve(typed)
            if (character === CTRL_C) return reject(new CliError(EXIT.failed, 'interrupted', 'Interrupted.'))
            typed = character === BACKSPACE ? typed.slice(0, -1) : typed + character
          }
        }
        stdin.on('data', read)
      })
    } finally {
      stdin.off('data', read)
      stdin.setRawMode?.(false)
      stdin.pause()
      stderr.write('\n')
    }
  }
}

/** The beginning of Millrace's own colour codes until they are written. A random number keeps data from forging them. */
const OWN_ESCAPE = `\u001b[${randomInt(1e9, 1e10)};`

const styled = (style: Style, text: string): string =>
  between(styleText(style, between(text, visible), { validateStream: false }), (part) =>
    part.replaceAll('\u001b[', OWN_ESCAPE),
  )

const between = (text: string, change: (part: string) => string): string =>
  text.split(OWN_ESCAPE).map(change).join(OWN_ESCAPE)

const shown = (text: string): string => withLineEnd(between(text, visible).replaceAll(OWN_ESCAPE, '\u001b['))

const withLineEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)

const CTRL_C = '\u0003'
const BACKSPACE = '\u007f'
/** Return, and Ctrl+D. */
const LINE_ENDS = ['\r', '\n', '\u0004']
