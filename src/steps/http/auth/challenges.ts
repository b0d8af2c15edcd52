// Reads WWW-Authenticate and Authentication-Info (RFC 9110, section 11), in one pass, whatever a server sends.

export interface Challenge {
  /** In lower case. */
  scheme: string
  /** By lower-case name; of a name that comes twice, the first. */
  parameters: ReadonlyMap<string, string>
}

/** More challenges than any server has reason to send. */
const MOST_CHALLENGES = 20

const SPACE = /[ \t]*/y
const SEPARATOR = /[ \t,]*/y
/** Wider than a token: a token68 has slashes, and what ends a word is one of these. */
const WORD = /[^ \t,="]+/y
const EQUALS = /=[ \t]*/y
/** The padding of a token68. */
const PADDING = /=+/y

/** Servers may send several challenges in one header, so a word is a scheme unless an equals sign follows it. */
export function parseChallenges(header: string): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = []
  const reader = new Reader(header)
  for (;;) {
    reader.skip(SEPARATOR)
    const word = reader.read(WORD).toLowerCase()
    if (word === '') return challenges
    reader.skip(SPACE)
    const current = challenges.at(-1)
    if (reader.read(EQUALS) === '') {
      if (challenges.length === MOST_CHALLENGES) return challenges
      challenges.push({ scheme: word, parameters: new Map() })
      continue
    }
    reader.skip(PADDING)
    const value = reader.value()
    if (current && !current.parameters.has(word)) current.parameters.set(word, value)
  }
}

/** Returns the parameters of a header that has no scheme. */
export const parseParameters = (header: string): ReadonlyMap<string, string> =>
  parseChallenges(`x ${header}`)[0]!.parameters

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  skip(pattern: RegExp): void {
    this.read(pattern)
  }

  /** Reads a word or a quoted text; one without its end goes to the end. */
  value(): string {
    if (this.#text[this.#at] !== '"') return this.read(WORD)
    const parts: string[] = []
    let from = ++this.#at
    for (; this.#at < this.#text.length && this.#text[this.#at] !== '"'; this.#at++)
      if (this.#text[this.#at] === '\\') {
        parts.push(this.#text.slice(from, this.#at))
        from = ++this.#at
      }
    parts.push(this.#text.slice(from, this.#at++))
    return parts.join('')
  }
}
