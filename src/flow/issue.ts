// A problem found in a flow document, and how it weighs.
import type { IssueCode } from '../base/error-catalogue.ts'

export interface Issue {
  /** JSON Pointer into the document. */
  path: string
  code: string
  message: string
}

/** shape: refused when a draft is saved; publish: refused when it is published; warning: does not prevent publishing. */
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

  /** What was left out weighs as much as the worst of it. */
  get all(): Finding[] {
    if (this.#left === null) return this.#list
    const message = 'There are more problems: fix these first, then check again.'
    return [...this.#list, { weight: this.#left, path: '', code: 'too_many_problems', message }]
  }
}

export function pointer(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** A text of the document as messages show it. */
export const quoted = (text: string): string => (text.length > 60 ? `a text of ${text.length} characters` : `"${text}"`)

/** A longer name is not compared: it is no slip of the finger, and takes too long. */
const LONGEST_NAME = 40

/** How many more names may be compared: each takes microseconds, and who writes the document decides how many there are. */
export interface Patience {
  comparisons: number
}

/** The known name nearest to a mistyped one, if any is near. */
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
