// What is wrong with a text of a format, and where. The message never quotes the text: it may hold a secret.

export class FormatError extends Error {
  override readonly name = 'FormatError'

  /** `at`: the place in `text`. */
  constructor(problem: string, text?: string, at = 0) {
    super(text === undefined ? problem : `${problem} (${placeOf(text, at)})`)
  }
}

/** Whoever looks for a place so far behind does not count lines; and counting them all would take long. */
const FAR = 1_000_000

function placeOf(text: string, at: number): string {
  if (at > FAR) return `character ${(at + 1).toLocaleString('en')}`
  let line = 1
  let start = 0
  for (let i = 0; i < at; i++)
    if (text.charCodeAt(i) === 0x0a) {
      line++
      start = i + 1
    }
  return `line ${line}, column ${at - start + 1}`
}
