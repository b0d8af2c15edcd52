import { MISSING } from '../values/bindings.ts'
import { toInteger, toText } from '../values/conversion.ts'
import { fail } from '../values/errors.ts'
import { type Callback, ELEMENT_SIZE, type Evaluation, isAscii, needed } from '../values/evaluation.ts'
import { findText, splitText } from '../values/find-text.ts'
import type { Method, Methods } from './method.ts'

// The language is fixed: sorting must not depend on the machine's settings.
const collator = new Intl.Collator('en')

const NORMAL_FORMS: readonly string[] = ['NFC', 'NFD', 'NFKC', 'NFKD']

/** The engine sorts the marks on one character in quadratic time. */
const MOST_MARKS = 100
const TOO_MANY_MARKS = new RegExp(`\\p{M}{${MOST_MARKS + 1}}`, 'u')

type StringMethod = Method<string>

const itself: StringMethod = { arity: [0, 0], call: (_run, self) => self }

export const STRING_METHODS: Methods<string> = {
  at: position((text, at) => text.at(at) ?? MISSING),
  charAt: position((text, at) => text.charAt(at)),
  charCodeAt: position((text, at) => text.charCodeAt(at)),
  codePointAt: position((text, at) => text.codePointAt(at) ?? MISSING),
  concat: {
    arity: [0, Number.POSITIVE_INFINITY],
    call: (run, self, args) => args.reduce((text: string, part) => joinTexts(run, text, toText(part)), self),
  },
  endsWith: searching((run, text, part, end = text.length) => {
    run.read(part)
    return text.endsWith(part, end)
  }),
  includes: searching((run, text, part, from = 0) => findText(run, text, part, from) !== -1),
  indexOf: searching((run, text, part, from = 0) => findText(run, text, part, from)),
  lastIndexOf: searching((run, text, part, from = text.length) => {
    // The engine compares the part at every position.
    run.work(1 + Math.floor((text.length * part.length) / 16))
    return text.lastIndexOf(part, from)
  }),
  localeCompare: {
    arity: [1, 1],
    call(run, self, [other]) {
      const text = toText(other)
      run.work(1 + (Math.min(self.length, text.length) >> 2))
      return collator.compare(self, text)
    },
  },
  normalize: {
    arity: [0, 1],
    call(run, self, [given]) {
      const form = given === undefined ? 'NFC' : toText(given)
      if (!NORMAL_FORMS.includes(form)) fail(`normalize takes one of ${NORMAL_FORMS.join(', ')}`)
      run.convert(self, form.startsWith('NFK') ? 18 : 4)
      if (isAscii(self)) return self
      if (TOO_MANY_MARKS.test(self)) fail(`normalize takes at most ${MOST_MARKS} combining marks in a row`)
      return self.normalize(form)
    },
  },
  padEnd: padding((text, length, filler) => text.padEnd(length, filler)),
  padStart: padding((text, length, filler) => text.padStart(length, filler)),
  repeat: {
    arity: [1, 1],
    call(run, self, [times]) {
      const count = toInteger(run, times, 0)
      if (count < 0 || count === Number.POSITIVE_INFINITY) fail('repeat takes a count from 0 up')
      run.grow(self.length * count)
      return self.repeat(count)
    },
  },
  replace: replacing('first'),
  replaceAll: replacing('all'),
  slice: cutting((text, start, end) => text.slice(start, end)),
  split: {
    arity: [1, 2],
    call(run, self, [separator, most]) {
      run.read(self)
      const limit = Math.max(0, toInteger(run, most, Number.POSITIVE_INFINITY))
      return split(run, self, toText(separator), limit)
    },
  },
  startsWith: searching((run, text, part, from = 0) => {
    run.read(part)
    return text.startsWith(part, from)
  }),
  substring: cutting((text, start, end) => text.substring(start, end)),
  toLowerCase: changing((text) => text.toLowerCase()),
  toString: itself,
  toUpperCase: changing((text) => text.toUpperCase()),
  trim: changing((text) => text.trim()),
  trimEnd: changing((text) => text.trimEnd()),
  trimStart: changing((text) => text.trimStart()),
}

/** Charges for the shorter text only: engines keep joined texts as trees, so a list can be joined piece by piece. */
export function joinTexts(run: Evaluation, a: string, b: string): string {
  run.work(4)
  run.grow(Math.min(a.length, b.length) + ELEMENT_SIZE)
  if (a.length + b.length > run.sizeLeft) run.grow(a.length + b.length)
  return a + b
}

function position(read: (text: string, at: number) => unknown): StringMethod {
  return {
    arity: [0, 1],
    call(run, self, [at]) {
      run.read(self)
      return read(self, toInteger(run, at, 0))
    },
  }
}

type Search = (run: Evaluation, text: string, part: string, at: number | undefined) => unknown

function searching(search: Search): StringMethod {
  return {
    arity: [1, 2],
    call(run, self, [part, at]) {
      run.read(self)
      return search(run, self, toText(part), at === undefined ? undefined : toInteger(run, at, 0))
    },
  }
}

function padding(pad: (text: string, length: number, filler: string) => string): StringMethod {
  return {
    arity: [1, 2],
    call(run, self, [length, filler]) {
      const target = toInteger(run, length, 0)
      if (target > self.length) run.grow(target)
      return pad(self, target, filler === undefined ? ' ' : toText(filler))
    },
  }
}

function cutting(cut: (text: string, start: number, end: number | undefined) => string): StringMethod {
  return {
    arity: [0, 2],
    call(run, self, [start, end]) {
      run.read(self)
      return cut(self, toInteger(run, start, 0), end === undefined ? undefined : toInteger(run, end, 0))
    },
  }
}

function changing(change: (text: string) => string): StringMethod {
  return {
    arity: [0, 0],
    call(run, self) {
      run.convert(self, 3)
      return change(self)
    },
  }
}

function split(run: Evaluation, text: string, separator: string, most: number): string[] {
  // This is one more than the budget allows, so that the charge below fails instead of the result being cut.
  const affordable = Math.floor(run.sizeLeft / ELEMENT_SIZE) + 1
  const pieces = splitText(run, text, separator, Math.min(most, affordable))
  run.grow(pieces.length * ELEMENT_SIZE)
  return pieces
}

/** Inserts the replacement as it is: `$&` and the like have no meaning, since it may be data. */
function replacing(most: 'first' | 'all'): StringMethod {
  return {
    arity: [2, 2],
    callback: { at: 1, required: false },
    call(run, self, [given, replacement]) {
      const part = toText(given)
      run.read(self)
      const pieces = piecesAround(run, self, part, most)
      const first = pieces[0] as string
      let result = first
      let offset = first.length
      for (const piece of pieces.slice(1)) {
        const text = replacementText(run, replacement, part, offset, self)
        run.grow(text.length + piece.length)
        result += text + piece
        offset += part.length + piece.length
      }
      return result
    },
  }
}

/** Splits for `replaceAll('', x)`, which puts x around every unit, so there are empty pieces at both ends. */
function piecesAround(run: Evaluation, text: string, part: string, most: 'first' | 'all'): string[] {
  if (most === 'first') {
    const at = findText(run, text, part, 0)
    return at === -1 ? [text] : [text.slice(0, at), text.slice(at + part.length)]
  }
  const pieces = split(run, text, part, Number.POSITIVE_INFINITY)
  return part === '' ? ['', ...pieces, ''] : pieces
}

function replacementText(run: Evaluation, given: unknown, part: string, offset: number, whole: string): string {
  if (typeof given !== 'function') return toText(given)
  return toText(needed(run, (given as Callback)(run, part, offset, whole)))
}
