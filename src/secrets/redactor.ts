// Knows every secret and its source. Masks all secrets in logs, but in the data of a flow only those that the flow can use:
// masking others would tell a sender which of its guesses is right.
import { hideTokens } from './callback-tokens.ts'
import { SecretSearch } from './secret-search.ts'

/** The source of secrets that are typed into a flow or come from its runs. */
const ofFlow = (flowId: string): string => `flow:${flowId}`
/** The maximum of searches, for different sets of sources, that are kept. */
const KEPT_SEARCHES = 200
const NOTHING = new SecretSearch([])

export class Redactor {
  /** The present secrets by source. */
  readonly #current = new Map<string, readonly string[]>()
  /** Secrets that only runs may still hold: since when, and their sources. */
  readonly #former = new Map<string, { at: number; sources: Set<string> }>()
  /** The sources that a flow names, by flow. */
  readonly #touched = new Map<string, Set<string>>()
  /** The searches by their sources, built when they are needed: secrets often come many at once. */
  readonly #searches = new Map<string, SecretSearch>()
  /** The searches by flow. */
  readonly #searchOf = new Map<string, SecretSearch>()

  /** Adds a value to a source. */
  add(value: string, source = ''): void {
    const before = this.#current.get(source) ?? []
    if (before.includes(value)) return
    this.#current.set(source, [...before, value])
    this.#changed()
  }

  addToFlow(flowId: string, value: string): void {
    this.add(value, ofFlow(flowId))
  }

  /** Sets the values of a source. Its former values stay hidden, because runs may still hold them. */
  set(source: string, values: readonly string[], now: number): void {
    const before = this.#current.get(source) ?? []
    if (before.length === values.length && before.every((value, i) => value === values[i])) return
    for (const value of before) if (!values.includes(value)) this.#hadBy(source, value, now)
    if (values.length) this.#current.set(source, values)
    else this.#current.delete(source)
    this.#changed()
  }

  /** Hides a value that a run holds, whatever its source; `flowId` null: the flow is unknown. */
  remember(value: string, flowId: string | null, now: number): void {
    const known = this.#former.get(value)
    const source = flowId === null ? '' : ofFlow(flowId)
    if (known?.sources.has(source)) known.at = now
    else if (!this.for(flowId).knows(value)) {
      this.#hadBy(source, value, now)
      this.#changed()
    }
  }

  #hadBy(source: string, value: string, now: number): void {
    const { sources } = this.#former.get(value) ?? { sources: new Set<string>() }
    this.#former.set(value, { at: now, sources: sources.add(source) })
  }

  /** Forgets former values that no run has held since `before`. */
  forget(before: number): void {
    for (const [value, { at }] of this.#former) if (at < before && this.#former.delete(value)) this.#changed()
  }

  /** Adds sources that a flow names; earlier ones stay, since its runs may hold their secrets. */
  touch(flowId: string, sources: Iterable<string>): void {
    this.#touched.set(flowId, new Set([...(this.#touched.get(flowId) ?? []), ...sources, ofFlow(flowId)]))
    this.#searchOf.delete(flowId)
  }

  knowsFlow(flowId: string): boolean {
    return this.#touched.has(flowId)
  }

  /** Returns the search for the data of a flow; for all secrets if the flow is null or unknown. */
  for(flowId: string | null): SecretSearch {
    const touched = flowId === null ? undefined : this.#touched.get(flowId)
    if (!touched) return this.#search(undefined)
    let search = this.#searchOf.get(flowId!)
    if (!search) {
      const known = new Set([...this.#current.keys(), ...this.#formerSources()])
      search = this.#search([...known].filter((source) => isAmong(source, touched)).toSorted())
      this.#searchOf.set(flowId!, search)
    }
    return search
  }

  /** Flows that name the same sources share a search. */
  #search(sources: readonly string[] | undefined): SecretSearch {
    if (sources?.length === 0) return NOTHING
    const key = sources ? JSON.stringify(sources) : ''
    let search = this.#searches.get(key)
    if (!search) {
      if (this.#searches.size >= KEPT_SEARCHES) this.#changed()
      search = new SecretSearch(this.#values(sources && new Set(sources)))
      this.#searches.set(key, search)
    }
    return search
  }

  #changed(): void {
    this.#searches.clear()
    this.#searchOf.clear()
  }

  contains(text: string): boolean {
    return this.for(null).contains(text)
  }

  redactText(text: string): string {
    return hideTokens(this.for(null).redactText(text))
  }

  redactJsonText(text: string): string {
    return hideTokens(this.for(null).redactJsonText(text))
  }

  redactJson<T>(value: T): T {
    return this.for(null).redactJson(value)
  }

  /** Does not mask values that the other side sent itself: a mask would tell which of its guesses is right. */
  redactReply<T>(value: T, flowId: string, request: () => string): T {
    const search = this.for(flowId)
    const redacted = search.redactJson(value)
    if (redacted === value) return value
    const given = new Set(search.secretsIn(request()))
    return given.size === 0 ? redacted : search.without(given).redactJson(value)
  }

  #formerSources(): string[] {
    return [...this.#former.values()].flatMap(({ sources }) => [...sources])
  }

  /** Returns the values of these sources, or of all. */
  #values(sources: ReadonlySet<string> | undefined): string[] {
    const isMeant = (source: string) => !sources || sources.has(source)
    return [
      ...[...this.#current].flatMap(([source, values]) => (isMeant(source) ? values : [])),
      ...[...this.#former].flatMap(([value, had]) => ([...had.sources].some(isMeant) ? [value] : [])),
    ]
  }
}

/** A flow may name `env` as a whole. A secret without a source concerns every flow. */
const isAmong = (source: string, touched: ReadonlySet<string>): boolean =>
  source === '' || touched.has(source) || (source.startsWith('env:') && touched.has('env:*'))
