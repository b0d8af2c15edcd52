// Outlines the steps of a document before each is checked: their ids, the variables that they set, and their nesting.
import Type, { type TSchema } from 'typebox'
import { checkValue } from '../check.ts'
import { type KindSchema, type Kinds, StepCommon, stepSchema } from '../document.ts'
import { Findings, quoted } from '../issue.ts'
import type { StepListView } from '../schema.ts'

/** A document is checked in one go, so its steps are limited. */
const MOST_STEPS = 1_000
const DEEPEST_STEP = 50
const EMPTY_STEP = Type.Object(StepCommon, { additionalProperties: true })

/** `none`: no view of its own; `each`: rounds see their own results; `while`: rounds also see those of the last round. */
export interface NestedList {
  list: unknown[]
  path: string
  view: 'none' | 'each' | 'while'
}

export class StepOutline {
  /** Maps every step id to its first place. */
  readonly ids = new Map<string, string>()
  /** The variables that steps set. */
  readonly vars = new Set<string>()
  readonly #kinds: Kinds
  readonly #findings: Findings
  readonly #nested = new Map<object, NestedList[]>()
  readonly #ends = new Map<object, boolean>()
  #stepCount = 0

  constructor(kinds: Kinds, findings: Findings) {
    this.#kinds = kinds
    this.#findings = findings
  }

  /** Collects ids and variables, so that a forward reference gets a better message than "unknown". False: too many. */
  collect(list: unknown[], path: string, depth: number): boolean {
    this.#stepCount += list.length
    if (this.#stepCount > MOST_STEPS) {
      this.#findings.add(
        'shape',
        '/steps',
        'too_many_steps',
        `A flow has at most ${MOST_STEPS} steps; split it into several.`,
      )
      return false
    }
    if (depth > DEEPEST_STEP) {
      const message = `Steps are nested more than ${DEEPEST_STEP} deep; make a flow of the inner ones.`
      this.#findings.add('shape', '/steps', 'too_deep', message)
      return false
    }
    for (const [i, step] of list.entries()) {
      if (typeof step !== 'object' || step === null) continue
      const { id, kind } = step as { id?: unknown; kind?: unknown }
      if (typeof id === 'string' && id !== '') {
        const first = this.ids.get(id)
        if (first === undefined) this.ids.set(id, `${path}/${i}`)
        else
          this.#findings.add(
            'publish',
            `${path}/${i}/id`,
            'duplicate_id',
            `The id ${quoted(id)} is used already at ${first}; step ids are unique in a flow.`,
          )
      }
      const assigns = typeof kind === 'string' ? this.#kinds.get(kind)?.assigns : undefined
      const vars = assigns === undefined ? null : (step as Record<string, unknown>)[assigns]
      if (typeof vars === 'object' && vars !== null) for (const name of Object.keys(vars)) this.vars.add(name)
      for (const nested of this.nestedLists(step))
        if (!this.collect(nested.list, `${path}/${i}${nested.path}`, depth + 1)) return false
    }
    return true
  }

  /** Returns the nested lists, with paths that begin at the step. */
  nestedLists(step: object): NestedList[] {
    const known = this.#nested.get(step)
    if (known) return known
    const lists: NestedList[] = []
    // The settings of a loop tell which of the two it is.
    const rounds = Object.hasOwn(step, 'while') ? 'while' : 'each'
    const visitor = {
      template() {},
      secret() {},
      connection() {},
      steps: (list: unknown[], at: string, view: StepListView) =>
        lists.push({ list, path: at, view: view === 'rounds' ? rounds : 'none' }),
    }
    checkValue(this.schemaOf(step), step, '', new Findings(), visitor)
    this.#nested.set(step, lists)
    return lists
  }

  /** Returns whether no run gets past the step: it ends the run itself, or each way through it does. */
  endsRun(step: unknown): boolean {
    if (typeof step !== 'object' || step === null || Array.isArray(step)) return false
    const known = this.#ends.get(step)
    if (known !== undefined) return known
    const kind = this.kindOf(step)
    const { onError } = step as { onError?: unknown }
    const ends =
      kind?.ends === 'succeeded' ||
      // What fails may be told to let the run continue, and then nothing is known.
      (onError !== 'continue' && (kind?.ends === 'failed' || this.#endsEachWay(step, kind)))
    this.#ends.set(step, ends)
    return ends
  }

  #endsEachWay(step: object, kind: KindSchema | undefined): boolean {
    const ways = this.nestedLists(step)
    return kind?.takesOneWay?.(step) === true && ways.every(({ list }) => list.some((inner) => this.endsRun(inner)))
  }

  /** Returns undefined for a kind that is not text, even if its text form would name one. */
  kindOf(step: object): KindSchema | undefined {
    const { kind } = step as { kind?: unknown }
    return typeof kind === 'string' ? this.#kinds.get(kind) : undefined
  }

  schemaOf(step: object): TSchema {
    const kind = this.kindOf(step)
    return kind ? stepSchema(kind) : EMPTY_STEP
  }

  /** Collects the ids in these lists, and below, whose results can be read after them. */
  collectIds(lists: unknown[][], into: { add(id: string): void }): void {
    for (const list of lists)
      for (const step of list) {
        if (typeof step !== 'object' || step === null) continue
        const { id } = step as { id?: unknown }
        if (typeof id === 'string') into.add(id)
        const left = this.nestedLists(step).filter((n) => n.view !== 'each')
        this.collectIds(
          left.map((n) => n.list),
          into,
        )
      }
  }
}
