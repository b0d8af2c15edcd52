/**
 * Searches texts for a pattern, in time proportional to their product: all ways through the pattern go forward together, a character
 * at a time (as in Thompson's and Pike's machines), and each step is charged. An engine that tries them one after the other takes
 * exponential time for some texts, which strangers choose; a library would not charge for what it does.
 */
import { fail } from '../values/errors.ts'
import type { Evaluation } from '../values/evaluation.ts'
import { isWord, type PatternNode, parsePattern, type Test } from './parse-pattern.ts'

type Step =
  | { do: 'char'; test: Test }
  | { do: 'assert'; at: 'start' | 'end' | 'word' | 'noWord' }
  | { do: 'save'; slot: number }
  /** Goes on at both places, with the first preferred. */
  | { do: 'split'; first: number; second: number }
  | { do: 'match' }

const MOST_STEPS = 2_000
/** Charged for a step of a way, which takes up to 100 ns. */
const STEP_WORK = 5
const KEPT = 200

/** Where a match and its groups begin and end; -1 where a group took no part. */
export type Found = readonly number[]

interface Way {
  at: number
  slots: Found
}

export class Pattern {
  readonly #steps: Step[] = []
  readonly #slots: number
  readonly #multiline: boolean
  readonly #stepWork: number
  /** The character with which each match begins; null if there are several. */
  readonly #first: string | null

  private constructor(source: string) {
    const { node, groups, multiline } = parsePattern(source)
    this.#slots = 2 * (groups + 1)
    this.#multiline = multiline
    // Comparing without letter case, or by a property of characters, takes as long as several steps.
    this.#stepWork = /^\(\?[ms]*i|\\[pP]/.test(source) ? 3 * STEP_WORK : STEP_WORK
    this.#first = firstOf(node)
    this.#add({ do: 'save', slot: 0 })
    this.#compile(node)
    this.#add({ do: 'save', slot: 1 })
    this.#add({ do: 'match' })
    this.#seen = new Int32Array(this.#steps.length).fill(-1)
  }

  static readonly #known = new Map<string, Pattern>()

  static of(run: Evaluation, source: string): Pattern {
    let known = Pattern.#known.get(source)
    if (!known) {
      known = new Pattern(source)
      // Each step of it was made, and a large one has as much memory as its steps.
      run.work(20 * (source.length + known.#steps.length))
      if (Pattern.#known.size >= KEPT) Pattern.#known.delete(Pattern.#known.keys().next().value!)
      Pattern.#known.set(source, known)
    }
    return known
  }

  #add(step: Step): number {
    if (this.#steps.length >= MOST_STEPS) fail('The pattern is too large: its repetitions multiply')
    return this.#steps.push(step) - 1
  }

  #compile(node: PatternNode): void {
    switch (node.kind) {
      case 'char':
        this.#add({ do: 'char', test: node.test })
        return
      case 'assert':
        this.#add({ do: 'assert', at: node.at })
        return
      case 'group':
        if (node.index === null) this.#compile(node.inner)
        else {
          this.#add({ do: 'save', slot: 2 * node.index })
          this.#compile(node.inner)
          this.#add({ do: 'save', slot: 2 * node.index + 1 })
        }
        return
      case 'sequence':
        for (const part of node.parts) this.#compile(part)
        return
      case 'choice':
        this.#choose(node.parts)
        return
      case 'repeat':
        this.#repeat(node)
        return
      case 'empty':
    }
  }

  #choose(parts: readonly PatternNode[]): void {
    const ends: number[] = []
    for (const [i, part] of parts.entries()) {
      if (i === parts.length - 1) {
        this.#compile(part)
        break
      }
      const split = this.#add({ do: 'split', first: this.#steps.length + 1, second: 0 })
      this.#compile(part)
      ends.push(this.#add({ do: 'split', first: 0, second: 0 }))
      this.#steps[split] = { do: 'split', first: split + 1, second: this.#steps.length }
    }
    const end = this.#steps.length
    for (const at of ends) this.#steps[at] = { do: 'split', first: end, second: end }
  }

  #repeat({ inner, least, most, lazy }: Extract<PatternNode, { kind: 'repeat' }>): void {
    for (let i = 0; i < least; i++) this.#compile(inner)
    const splits: number[] = []
    if (most === null) {
      const again = this.#add({ do: 'split', first: 0, second: 0 })
      this.#compile(inner)
      this.#add({ do: 'split', first: again, second: again })
      splits.push(again)
    } else
      for (let i = least; i < most; i++) {
        splits.push(this.#add({ do: 'split', first: 0, second: 0 }))
        this.#compile(inner)
      }
    const end = this.#steps.length
    for (const at of splits)
      this.#steps[at] = lazy ? { do: 'split', first: end, second: at + 1 } : { do: 'split', first: at + 1, second: end }
  }

  /** At which place of the text a step was last reached: no way goes through it a second time there. */
  readonly #seen: Int32Array

  /** Returns the first match at or after `from`, with the way through the pattern that JavaScript prefers. */
  search(run: Evaluation, text: string, from: number): Found | null {
    let ways: Way[] = []
    let found: Found | null = null
    this.#seen.fill(-1)
    run.work(this.#steps.length >> 2)
    for (let at = from; at <= text.length; ) {
      if (ways.length === 0) {
        if (found) return found
        const next = this.#first === null ? at : text.indexOf(this.#first, at)
        run.work(1 + ((next === -1 ? text.length - at : next - at) >> 5))
        if (next === -1) return null
        at = next
      }
      const code = text.codePointAt(at) ?? -1
      const next: Way[] = []
      const end = at + (code > 0xffff ? 2 : 1)
      // A match that begins later is not looked for once there is one.
      if (!found) this.#follow(run, text, at, { at: 0, slots: this.#none() }, ways)
      for (const way of ways) {
        run.work(this.#stepWork)
        const step = this.#steps[way.at]!
        if (step.do === 'match') {
          found = way.slots
          // The ways behind it are not preferred.
          break
        }
        if (code !== -1 && step.do === 'char' && step.test(code))
          this.#pending.push({ at: way.at + 1, slots: way.slots })
      }
      for (const way of this.#pending) this.#follow(run, text, end, way, next)
      this.#pending.length = 0
      ways = next
      at = end
    }
    return found
  }

  readonly #pending: Way[] = []
  #none(): Found {
    return Array.from({ length: this.#slots }, () => -1)
  }

  /** Adds the steps that a way reaches without another character, in the order of preference. */
  #follow(run: Evaluation, text: string, at: number, start: Way, ways: Way[]): void {
    const open: Way[] = [start]
    for (let way = open.pop(); way; way = open.pop()) {
      run.work(STEP_WORK)
      if (this.#seen[way.at] === at) continue
      this.#seen[way.at] = at
      const step = this.#steps[way.at]!
      if (step.do === 'split') {
        if (step.second !== step.first) open.push({ at: step.second, slots: way.slots })
        open.push({ at: step.first, slots: way.slots })
      } else if (step.do === 'save') {
        run.work(this.#slots)
        open.push({ at: way.at + 1, slots: way.slots.with(step.slot, at) })
      } else if (step.do === 'assert') {
        if (this.#holds(step.at, text, at)) open.push({ at: way.at + 1, slots: way.slots })
      } else ways.push(way)
    }
  }

  #holds(what: 'start' | 'end' | 'word' | 'noWord', text: string, at: number): boolean {
    const isBreakAt = (i: number) => this.#multiline && (text[i] === '\n' || text[i] === '\r')
    if (what === 'start') return at === 0 || isBreakAt(at - 1)
    if (what === 'end') return at === text.length || isBreakAt(at)
    const isWordAt = (i: number) => i >= 0 && i < text.length && isWord(text.charCodeAt(i))
    return (isWordAt(at - 1) !== isWordAt(at)) === (what === 'word')
  }
}

/** Returns the only character with which a match can begin. */
function firstOf(node: PatternNode): string | null {
  if (node.kind === 'char') return node.only === null ? null : String.fromCodePoint(node.only)
  if (node.kind === 'group') return firstOf(node.inner)
  if (node.kind === 'sequence') return firstOf(node.parts[0]!)
  return node.kind === 'repeat' && node.least > 0 ? firstOf(node.inner) : null
}
