// Knows every secret, by where it is from, and hides it in whatever is stored, logged or shown.
import { SecretSearch } from './secret-search.ts'

export class Redactor {
  readonly #lasting = new Set<string>()
  /** By source, which may change them. */
  readonly #current = new Map<string, readonly string[]>()
  /** Since when runs alone may hold them. */
  readonly #former = new Map<string, number>()
  /** Made when it is next needed: secrets often come many at once. */
  #search: SecretSearch | null = null
  #knowsNone = true

  add(value: string): void {
    if (this.#lasting.has(value)) return
    this.#lasting.add(value)
    this.#changed()
  }

  /** The values that a source has now. Those that it had stay hidden: runs may hold them still. */
  set(source: string, values: readonly string[], now: number): void {
    const before = this.#current.get(source) ?? []
    if (before.length === values.length && before.every((value, i) => value === values[i])) return
    for (const value of before) if (!values.includes(value)) this.#former.set(value, now)
    if (values.length) this.#current.set(source, values)
    else this.#current.delete(source)
    this.#changed()
  }

  /** A value that a run brings along, wherever it had it from. */
  remember(value: string, now: number): void {
    if (this.#former.has(value)) this.#former.set(value, now)
    else if (this.#knowsNone || !this.#all.knows(value)) {
      this.#former.set(value, now)
      this.#changed()
    }
  }

  /** Lets go of former values that nobody has held since before that time. */
  forget(before: number): void {
    let changed = false
    for (const [value, at] of this.#former) if (at < before) changed = this.#former.delete(value) || changed
    if (changed) this.#changed()
  }

  contains(text: string): boolean {
    return this.#knowsNone ? false : this.#all.contains(text)
  }

  /** The secrets that stand in a JSON text, in whatever form. */
  secretsIn(json: string): string[] {
    return this.#knowsNone ? [] : this.#all.secretsIn(json)
  }

  redactText(text: string): string {
    return this.#knowsNone ? text : this.#all.redactText(text)
  }

  /** Redacts the strings and numbers of JSON text and leaves the rest of it as it is. */
  redactJsonText(text: string): string {
    return this.#knowsNone ? text : this.#all.redactJsonText(text)
  }

  /** Keys too; the same reference where nothing is hidden. */
  redactJson<T>(value: T): T {
    return this.#knowsNone ? value : this.#all.redactJson(value)
  }

  #changed(): void {
    this.#search = null
    this.#knowsNone = this.#lasting.size === 0 && this.#current.size === 0 && this.#former.size === 0
  }

  get #all(): SecretSearch {
    this.#search ??= new SecretSearch([...this.#lasting, ...[...this.#current.values()].flat(), ...this.#former.keys()])
    return this.#search
  }
}
