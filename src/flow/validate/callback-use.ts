// Says where the URL of a callback can be read: in steps that may run before its wait, and in a loop only within its round.
import type { KindSchema } from '../document.ts'
import type { NestedList } from './step-outline.ts'

/** What has to be known of step kinds. */
interface WaitingKinds {
  get(kind: string): Pick<KindSchema, 'awaitsCallback'> | undefined
}

interface Place {
  /** Counts the steps of the document. */
  order: number
  /** The loops around the step. */
  loops: readonly string[]
  /** The lists around the step that run beside others, each with the step that they belong to. */
  beside: ReadonlyMap<object, number>
  /** Which list of the document it belongs to. */
  part: string
}

export class CallbackUse {
  readonly #waits = new Map<string, Place>()
  readonly #steps = new Map<object, Place>()
  readonly #kinds: WaitingKinds
  readonly #nestedLists: (step: object) => Pick<NestedList, 'list' | 'view'>[]

  constructor(kinds: WaitingKinds, nestedLists: (step: object) => Pick<NestedList, 'list' | 'view'>[]) {
    this.#kinds = kinds
    this.#nestedLists = nestedLists
  }

  collect(list: readonly unknown[], part: string, around: Pick<Place, 'loops' | 'beside'> = NOTHING_AROUND): void {
    for (const step of list) {
      if (typeof step !== 'object' || step === null) continue
      const { id, kind } = step as { id?: unknown; kind?: unknown }
      const place = { ...around, order: this.#steps.size, part }
      this.#steps.set(step, place)
      const known = typeof kind === 'string' ? this.#kinds.get(kind) : undefined
      if (typeof id === 'string' && known?.awaitsCallback?.(step)) this.#waits.set(id, place)
      for (const [i, { list: inner, view }] of this.#nestedLists(step).entries()) {
        const isLoop = view === 'each' || view === 'while'
        const loops = isLoop ? [...around.loops, String(id)] : around.loops
        const beside = view === 'beside' ? new Map([...around.beside, [step, i]]) : around.beside
        this.collect(inner, part, { loops, beside })
      }
    }
  }

  get names(): Iterable<string> {
    return this.#waits.keys()
  }

  has(id: string): boolean {
    return this.#waits.has(id)
  }

  /** Returns why the reply to a delivery cannot give the URL away; null if it can. Expects the id of a step that waits. */
  problemInReply(id: string): string | null {
    const { loops, part } = this.#waits.get(id)!
    if (loops.length)
      return `callbacks.${id} belongs to a round of the loop "${loops[0]}", which has not begun when the reply is sent.`
    return part === '/steps' ? null : `callbacks.${id} belongs to onFailure, which comes after the reply.`
  }

  /** Returns why a step cannot read the URL; null if it can. Expects the id of a step that waits. */
  problem(id: string, step: object): string | null {
    const wait = this.#waits.get(id)!
    const here = this.#steps.get(step)!
    const loop = wait.loops.find((around) => !here.loops.includes(around))
    if (loop !== undefined)
      return `callbacks.${id} belongs to a round of the loop "${loop}", and can be read only inside of it.`
    const isBeside = [...wait.beside].some(([outer, list]) => (here.beside.get(outer) ?? list) !== list)
    if (here.part === wait.part && (here.order < wait.order || isBeside)) return null
    return `callbacks.${id} can be read only by steps before "${id}", which waits for the callback.`
  }
}

const NOTHING_AROUND: Pick<Place, 'loops' | 'beside'> = { loops: [], beside: new Map() }
