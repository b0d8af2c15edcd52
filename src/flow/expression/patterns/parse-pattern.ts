/** Reads a pattern, which has the syntax of JavaScript's regular expressions without what cannot be searched in linear time. */
import { fail } from '../values/errors.ts'

/** Says whether a character, by its code point, is meant. */
export type Test = (code: number) => boolean

export type PatternNode =
  | { kind: 'empty' }
  | { kind: 'char'; test: Test; only: number | null }
  | { kind: 'assert'; at: 'start' | 'end' | 'word' | 'noWord' }
  | { kind: 'group'; index: number | null; inner: PatternNode }
  | { kind: 'sequence' | 'choice'; parts: PatternNode[] }
  | { kind: 'repeat'; inner: PatternNode; least: number; most: number | null; lazy: boolean }

export interface ParsedPattern {
  node: PatternNode
  groups: number
  multiline: boolean
}

export const LONGEST_PATTERN = 500
const MOST_REPEATS = 1_000
const DEEPEST = 50

const refuse = (what: string, hint = ''): never => fail(`The pattern ${what}`, hint)
const NOT_LINEAR = 'Such a pattern can take endlessly long; use several calls, or a code step.'

const isDigit: Test = (c) => c >= 48 && c <= 57
export const isWord: Test = (c) => isDigit(c) || (c >= 65 && c <= 90) || c === 95 || (c >= 97 && c <= 122)
const SPACES = /\s/
const isSpace: Test = (c) => c === 32 || (c >= 9 && c <= 13) || (c > 127 && SPACES.test(String.fromCodePoint(c)))
const isBreak: Test = (c) => c === 10 || c === 13 || c === 0x2028 || c === 0x2029
const not =
  (test: Test): Test =>
  (c) =>
    !test(c)
const CLASSES: Readonly<Record<string, Test>> = {
  d: isDigit,
  D: not(isDigit),
  w: isWord,
  W: not(isWord),
  s: isSpace,
  S: not(isSpace),
}
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 }

export function parsePattern(source: string): ParsedPattern {
  if (source.length > LONGEST_PATTERN) refuse(`has more than ${LONGEST_PATTERN} characters`)
  const flags = /^\(\?([ims]+)\)/.exec(source)
  return new Parser(source, flags?.[0].length ?? 0, flags?.[1] ?? '').whole()
}

class Parser {
  readonly #source: string
  readonly #flags: string
  #at: number
  #groups = 0
  #depth = 0

  constructor(source: string, at: number, flags: string) {
    this.#source = source
    this.#at = at
    this.#flags = flags
  }

  whole(): ParsedPattern {
    const node = this.#choice()
    if (this.#at < this.#source.length) refuse('has a ) without its (')
    return { node, groups: this.#groups, multiline: this.#flags.includes('m') }
  }

  #choice(): PatternNode {
    const parts = [this.#sequence()]
    while (this.#take('|')) parts.push(this.#sequence())
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts }
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = []
    while (this.#at < this.#source.length && !this.#sees('|') && !this.#sees(')'))
      parts.push(this.#repeated(this.#atom()))
    if (parts.length === 1) return parts[0]!
    return parts.length === 0 ? { kind: 'empty' } : { kind: 'sequence', parts }
  }

  #repeated(inner: PatternNode): PatternNode {
    const bounds = this.#bounds()
    if (!bounds) return inner
    if (inner.kind === 'assert') refuse('repeats a place, such as ^ or \\b, which has no length')
    const lazy = this.#take('?')
    if (this.#bounds()) refuse('repeats something twice, such as a**', 'Put parentheses around what is repeated.')
    return { kind: 'repeat', inner, ...bounds, lazy }
  }

  #bounds(): { least: number; most: number | null } | null {
    if (this.#take('*')) return { least: 0, most: null }
    if (this.#take('+')) return { least: 1, most: null }
    if (this.#take('?')) return { least: 0, most: 1 }
    const counted = /^\{(\d{1,6})(,(\d{0,6}))?\}/.exec(this.#source.slice(this.#at, this.#at + 16))
    if (!counted) return null
    this.#at += counted[0].length
    const least = Number(counted[1])
    const most = counted[2] === undefined ? least : counted[3] === '' ? null : Number(counted[3])
    if (Math.max(least, most ?? 0) > MOST_REPEATS) refuse(`repeats something more than ${MOST_REPEATS} times`)
    if (most !== null && most < least) refuse(`has a repetition whose numbers are the wrong way round: ${counted[0]}`)
    return { least, most }
  }

  #atom(): PatternNode {
    const char = this.#next()
    switch (char) {
      case '(':
        return this.#group()
      case '[':
        return { kind: 'char', test: this.#anyCase(this.#set()), only: null }
      case '.':
        return { kind: 'char', test: this.#flags.includes('s') ? () => true : not(isBreak), only: null }
      case '^':
        return { kind: 'assert', at: 'start' }
      case '$':
        return { kind: 'assert', at: 'end' }
      case '\\':
        return this.#escape()
      case '*':
      case '+':
      case '?':
        return refuse(`has a ${char} with nothing before it to repeat`, `Write \\${char} for the character.`)
      default:
        return this.#only(char.codePointAt(0)!)
    }
  }

  #group(): PatternNode {
    if (++this.#depth > DEEPEST) refuse(`has more than ${DEEPEST} parentheses inside each other`)
    const captures = !this.#take('?:')
    if (captures && this.#sees('?')) {
      const look = /^\?<?[=!]/.test(this.#source.slice(this.#at))
      refuse(
        look ? 'looks ahead or behind, which is not possible here' : 'has a group that begins with (?',
        look
          ? NOT_LINEAR
          : 'Only (?:…) and, at the very beginning, (?i), (?m) and (?s) are known; groups have numbers.',
      )
    }
    const index = captures ? ++this.#groups : null
    const inner = this.#choice()
    if (!this.#take(')')) refuse('has a ( without its )', 'Write \\( for the character.')
    this.#depth--
    return { kind: 'group', index, inner }
  }

  #escape(): PatternNode {
    if (this.#take('b')) return { kind: 'assert', at: 'word' }
    if (this.#take('B')) return { kind: 'assert', at: 'noWord' }
    if (/[1-9k]/.test(this.#source[this.#at] ?? ''))
      refuse('refers back to a group, which is not possible here', NOT_LINEAR)
    const found = this.#escaped()
    return typeof found === 'number' ? this.#only(found) : { kind: 'char', test: found, only: null }
  }

  /** Reads what follows a backslash: a character, or a class of them. */
  #escaped(): number | Test {
    const char = this.#next('ends with a backslash')
    const known = CLASSES[char]
    if (known) return known
    if (char === 'p' || char === 'P') return this.#property(char === 'P')
    if (Object.hasOwn(CONTROLS, char)) return CONTROLS[char]!
    if (char === 'x' || char === 'u') {
      const length = char === 'x' ? 2 : 4
      const digits = this.#source.slice(this.#at, this.#at + length)
      if (!/^[\da-fA-F]+$/.test(digits) || digits.length < length)
        refuse(`has \\${char} without its ${length} hexadecimal digits`)
      this.#at += length
      return Number.parseInt(digits, 16)
    }
    if (/[A-Za-z]/.test(char)) refuse(`has \\${char}, which means nothing here`)
    return char.codePointAt(0)!
  }

  #property(negated: boolean): Test {
    const name = /^\{([A-Za-z_=]{1,40})\}/.exec(this.#source.slice(this.#at, this.#at + 44))
    if (!name) return refuse('has \\p without a property such as {L}')
    this.#at += name[0].length
    try {
      const one = new RegExp(`^\\p{${name[1]}}$`, 'u')
      return (c) => one.test(String.fromCodePoint(c)) !== negated
    } catch {
      return refuse(
        `names a property of characters that does not exist: ${name[1]}`,
        'For example L, Lu, N or Script=Greek.',
      )
    }
  }

  #set(): Test {
    const negated = this.#take('^')
    const tests: Test[] = []
    const codes = new Set<number>()
    const ranges: [from: number, to: number][] = []
    while (!this.#take(']')) {
      const from = this.#member()
      if (typeof from !== 'number') {
        tests.push(from)
        continue
      }
      if (!this.#sees('-') || this.#source[this.#at + 1] === ']') {
        codes.add(from)
        continue
      }
      this.#at++
      const to = this.#member()
      if (typeof to !== 'number' || to < from) return refuse('has a range in [ ] whose ends are the wrong way round')
      ranges.push([from, to])
    }
    const isIn: Test = (c) =>
      codes.has(c) || ranges.some(([from, to]) => c >= from && c <= to) || tests.some((test) => test(c))
    return negated ? not(isIn) : isIn
  }

  #member(): number | Test {
    const char = this.#next('has a [ without its ]')
    if (char !== '\\') return char.codePointAt(0)!
    // A backspace, in sets only.
    return this.#take('b') ? 8 : this.#escaped()
  }

  #only(code: number): PatternNode {
    const only = this.#flags.includes('i') ? null : code
    return { kind: 'char', test: this.#anyCase((c) => c === code), only }
  }

  #anyCase(test: Test): Test {
    if (!this.#flags.includes('i')) return test
    return (c) => {
      const char = String.fromCodePoint(c)
      return test(c) || test(char.toLowerCase().codePointAt(0)!) || test(char.toUpperCase().codePointAt(0)!)
    }
  }

  #sees(text: string): boolean {
    return this.#source.startsWith(text, this.#at)
  }

  #take(text: string): boolean {
    if (!this.#sees(text)) return false
    this.#at += text.length
    return true
  }

  /** Takes a whole character, which may be two units long. */
  #next(missing = 'ends too early'): string {
    const code = this.#source.codePointAt(this.#at)
    if (code === undefined) return refuse(missing)
    const char = String.fromCodePoint(code)
    this.#at += char.length
    return char
  }
}
