// Hides every secret it knows in whatever is stored, logged or shown: as it is, in base64, percent-encoded and escaped.
import { percentDecoded, unescaped } from './encodings.ts'
import { PatternSearch, type Span } from './pattern-search.ts'
import { secretForms } from './secret-forms.ts'

export const MASK = '[secret]'

/** A shorter value is hidden only where it is a whole text: inside others it would be found by chance. */
const SHORTEST_INSIDE = 6
/** Still shorter ones ("1", "eu") are no secrets to anybody, and their mask would blot out half of every history. */
const SHORTEST = 3
/** JSON inside JSON, an encoded URL inside another. In long texts one layer: a sender chooses them, and each layer takes its time. */
const layersOf = (text: string): number => (text.length > 65_536 ? 1 : 2)
/** In JSON text, what the search for known forms does not see through. */
const ENCODED = /%[0-9a-fA-F]{2}|\\[u/\\]/
/** The keys under which we keep and show other people's data: hidden, it could not be read back. */
const OWN_KEYS = new Set(
  'body cookies code contentLength contentType headers hint logs message metadata method output path query queryAll rawBody receivedAt redirects requestId response status userAgent webhook'.split(
    ' ',
  ),
)
const NUMBERS = /-?\d[\d.eE+-]*/g

interface Known {
  short: ReadonlySet<string>
  /** The secrets by the forms in which they may stand inside other text. */
  secretOf: ReadonlyMap<string, string>
  /** Any of these forms. */
  inside: PatternSearch
  /** The same in JSON text, and short secrets as whole strings. */
  json: PatternSearch
}

export class Redactor {
  readonly #lasting = new Set<string>()
  /** By source, which may change them. */
  readonly #current = new Map<string, readonly string[]>()
  /** Since when runs alone may hold them. */
  readonly #former = new Map<string, number>()
  /** Made when it is next needed: secrets often come many at once. */
  #known: Known | null = null
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
    else if (!this.#knows(value)) {
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
    return this.#knowsNone ? false : this.#patterns.short.has(text) || this.#spans(text, layersOf(text)).length > 0
  }

  /** The secrets that stand in the text, in whatever form. */
  secretsIn(text: string): string[] {
    if (this.#knowsNone) return []
    const { short, secretOf } = this.#patterns
    const found = new Set([...short].filter((secret) => text.includes(JSON.stringify(secret))))
    // One layer more than for the strings of a JSON text, which stand escaped in it.
    this.#look(text, layersOf(text) + 1, (form) => found.add(secretOf.get(form)!))
    return [...found]
  }

  redactText(text: string): string {
    return this.#knowsNone ? text : masked(text, this.#spans(text, layersOf(text)))
  }

  /** Redacts the strings and numbers of JSON text and leaves the rest of it as it is. */
  redactJsonText(text: string): string {
    if (this.#knowsNone) return text
    const spans = this.#patterns.json.all(text)
    const encoded = (text.includes('%') || text.includes('\\')) && ENCODED.test(text)
    if (spans.length === 0 && !encoded) return text
    let redacted = ''
    let kept = 0
    const replace = (start: number, end: number, by: string) => {
      redacted += text.slice(kept, start) + by
      kept = end
    }
    /** Whether something was found between the last place that was asked for and this one. */
    let next = 0
    const foundBefore = (end: number): boolean => {
      const first = next
      while (next < spans.length && spans[next]!.start < end) next++
      return next > first
    }
    for (let at = 0; at < text.length; ) {
      const quote = text.indexOf('"', at)
      const open = quote === -1 ? text.length : quote
      if (foundBefore(open))
        for (const { 0: number, index } of text.slice(at, open).matchAll(NUMBERS))
          if (this.#hides(number)) replace(at + index, at + index + number.length, `"${MASK}"`)
      if (quote === -1) break
      at = endOfString(text, open)
      const found = foundBefore(at)
      if (!found && !encoded) continue
      const string = text.slice(open, at)
      if (!found && !string.includes('%') && !string.includes('\\')) continue
      const plain = plainString(string)
      if (OWN_KEYS.has(plain) && /^\s*:/.test(text.slice(at, at + 9))) continue
      const shown = this.#string(plain)
      if (shown !== plain) replace(open, at, JSON.stringify(shown))
    }
    return kept === 0 ? text : redacted + text.slice(kept)
  }

  /** Keys too; the same reference where nothing is hidden. */
  redactJson<T>(value: T): T {
    return this.#knowsNone ? value : (this.#tree(value) as T)
  }

  #changed(): void {
    this.#known = null
    this.#knowsNone = this.#lasting.size === 0 && this.#current.size === 0 && this.#former.size === 0
  }

  #knows(value: string): boolean {
    return !this.#knowsNone && (this.#patterns.secretOf.has(value) || this.#patterns.short.has(value))
  }

  get #patterns(): Known {
    if (this.#known) return this.#known
    const short = new Set<string>()
    const secretOf = new Map<string, string>()
    for (const value of [...this.#lasting, ...[...this.#current.values()].flat(), ...this.#former.keys()])
      for (const text of [value, sentAs(value)])
        if (text.length >= SHORTEST_INSIDE) for (const form of secretForms(text)) secretOf.set(form, text)
        else if (text.length >= SHORTEST) short.add(text)
    const forms = [...secretOf.keys()]
    const inJson = forms.map((form) => JSON.stringify(form).slice(1, -1))
    const whole = [...short].map((text) => JSON.stringify(text))
    const json = new PatternSearch([...inJson, ...whole])
    this.#known = { short, secretOf, inside: new PatternSearch(forms), json }
    return this.#known
  }

  #hides(number: string): boolean {
    return number.length >= SHORTEST_INSIDE && this.#patterns.inside.finds(number)
  }

  #string(text: string): string {
    return this.#patterns.short.has(text) ? MASK : this.redactText(text)
  }

  #tree(value: unknown): unknown {
    if (typeof value === 'string') return this.#string(value)
    if (typeof value === 'number') return this.#hides(String(value)) ? MASK : value
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#tree(item))
      return items.some((item, i) => item !== value[i]) ? items : value
    }
    if (typeof value !== 'object' || value === null) return value
    const copy: Record<string, unknown> = Object.create(null)
    let changed = false
    for (const [key, item] of Object.entries(value)) {
      const shownKey = OWN_KEYS.has(key) ? key : this.#string(key)
      copy[shownKey] = this.#tree(item)
      changed ||= shownKey !== key || copy[shownKey] !== item
    }
    return changed ? copy : value
  }

  #spans(text: string, layers: number): Span[] {
    const spans = this.#patterns.inside.all(text)
    if (layers > 0)
      for (const decode of [percentDecoded, unescaped]) {
        const decoded = decode(text)
        if (!decoded) continue
        for (const { start, end } of this.#spans(decoded.text, layers - 1))
          spans.push({ start: decoded.sourceOf(start), end: decoded.sourceOf(end) })
      }
    return spans
  }

  #look(text: string, layers: number, found: (form: string) => void): void {
    for (const { start, end } of this.#patterns.inside.all(text)) found(text.slice(start, end))
    if (layers === 0) return
    for (const decode of [percentDecoded, unescaped]) {
      const decoded = decode(text)
      if (decoded) this.#look(decoded.text, layers - 1, found)
    }
  }
}

/** How a value leaves in a header: without space around it, and a pasted scheme written in another way. */
const sentAs = (value: string): string => value.trim().replace(/^(?:bearer|basic)\s+/i, '')

function masked(text: string, spans: Span[]): string {
  if (spans.length === 0) return text
  spans.sort((a, b) => a.start - b.start)
  let shown = ''
  let kept = 0
  let first = true
  for (const { start, end } of spans) {
    if (first || start > kept) shown += text.slice(kept, start) + MASK
    first = false
    kept = Math.max(kept, end)
  }
  return shown + text.slice(kept)
}

/** What is no JSON after all is taken as it stands: nothing that is to be stored may fail here. */
function plainString(quoted: string): string {
  if (quoted.includes('\\'))
    try {
      return JSON.parse(quoted) as string
    } catch {}
  return quoted.slice(1, -1)
}

/** The place after the closing quote. */
function endOfString(text: string, open: number): number {
  for (let quote = text.indexOf('"', open + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text[quote - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return quote + 1
  }
  return text.length
}
