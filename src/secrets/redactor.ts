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
  /** Any form of a secret, inside other text. */
  inside: PatternSearch
  /** The same in JSON text, and short secrets as whole strings. */
  json: PatternSearch
}

export class Redactor {
  readonly #long = new Set<string>()
  readonly #short = new Set<string>()
  /** Made when it is next needed: secrets often come many at once. */
  #known: Known | null = null

  add(value: string): void {
    for (const text of [value, sentAs(value)]) {
      const set = text.length >= SHORTEST_INSIDE ? this.#long : this.#short
      if (text.length < SHORTEST || set.has(text)) continue
      set.add(text)
      this.#known = null
    }
  }

  contains(text: string): boolean {
    return this.#knowsNone ? false : this.#short.has(text) || this.#spans(text, layersOf(text)).length > 0
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

  get #knowsNone(): boolean {
    return this.#long.size === 0 && this.#short.size === 0
  }

  get #patterns(): Known {
    if (this.#known) return this.#known
    const forms = [...this.#long].flatMap(secretForms)
    const inJson = forms.map((form) => JSON.stringify(form).slice(1, -1))
    const whole = [...this.#short].map((text) => JSON.stringify(text))
    this.#known = { inside: new PatternSearch(forms), json: new PatternSearch([...inJson, ...whole]) }
    return this.#known
  }

  #hides(number: string): boolean {
    return number.length >= SHORTEST_INSIDE && this.#patterns.inside.finds(number)
  }

  #string(text: string): string {
    return this.#short.has(text) ? MASK : this.redactText(text)
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
