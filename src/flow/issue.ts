// A problem of a flow document, and how serious it is.
import type { IssueCode } from '../base/error-catalogue.ts'

export interface Issue {
  /** A JSON Pointer into the document. */
  path: string
  code: string
  message: string
}

/** `shape`: saving a draft is refused; `publish`: publishing is refused; `warning`: publishing is possible. */
export type Weight = 'shape' | 'publish' | 'warning'

export interface Finding extends Issue {
  code: IssueCode
  weight: Weight
}

const WEIGHTS: readonly Weight[] = ['warning', 'publish', 'shape']

/** The most problems in one reply; a last one says that there are more. */
const MOST_FINDINGS = 500
const MOST_CHARACTERS = 500_000

export class Findings {
  readonly #list: Finding[] = []
  #characters = 0
  #left: Weight | null = null

  add(weight: Weight, path: string, code: IssueCode, message: string): void {
    this.#characters += path.length + message.length
    if (this.#list.length < MOST_FINDINGS && this.#characters < MOST_CHARACTERS)
      this.#list.push({ weight, path, code, message })
    else if (this.#left === null || WEIGHTS.indexOf(weight) > WEIGHTS.indexOf(this.#left)) this.#left = weight
  }

  get first(): Finding | undefined {
    return this.#list[0]
  }

  /** Returns the problems; the last stands for those left out, and is as serious as the worst of them. */
  get all(): Finding[] {
    if (this.#left === null) return this.#list
    const message = 'There are more problems: fix these first, then check again.'
    return [...this.#list, { weight: this.#left, path: '', code: 'too_many_problems', message }]
  }
}

export function pointer(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Returns a text of the document for use in messages. */
export const quoted = (text: string): string => (text.length > 60 ? `a text of ${text.length} characters` : `"${text}"`)

/** A longer name is not compared: it is hardly a typing error, and comparing it takes too long. */
const LONGEST_NAME = 40

/** How many more names may be compared: each takes microseconds, and the document's author decides their number. */
export interface Patience {
  comparisons: number
}

/** Returns the known name that is most similar to a mistyped one, if any is similar enough. */
export function nearest(
  name: string,
  known: Iterable<string>,
  patience: Patience = { comparisons: 1000 },
): string | undefined {
  if (name.length > LONGEST_NAME) return undefined
  const typed = name.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue
    if (patience.comparisons-- <= 0) return best
    const distance = editDistance(typed, candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min(substituted, previous[j]! + 1, current[j - 1]! + 1))
    }
    previous = current
  }
  return previous[b.length]!
}
