// Finds secrets in texts and hides them: as they are, in base64, percent-encoded, escaped and so on, also nested. Takes
// linear time for all texts, because senders choose them.
import { decoded, spansBefore, unescaped } from './encodings.ts'
import { addSpan, LONGEST_PATTERN, PatternSearch, type Span } from './pattern-search.ts'
import { SHORTEST_FORM, secretForms } from './secret-forms.ts'

export const MASK = '[secret]'

/** Shorter values ("1", "eu") are not secret, and masking them would hide half of every history. */
const SHORTEST = 3
/** Covers JSON inside JSON, or an encoded URL inside another. */
const LAYERS = 2
/** Matches encodings in JSON text that the search for known forms does not recognise. */
const ENCODED = /%[0-9a-fA-F]{2}|\\[u/\\nrx']|&[#a-zA-Z]/
/** The keys under which Millrace stores and shows data: if they were hidden, the data could not be read back. */
const OWN_KEYS = new Set(
  'body cookies code contentLength contentType headers hint logs message metadata method output path query queryAll rawBody receivedAt redirects requestId response status userAgent webhook'.split(
    ' ',
  ),
)
const NUMBERS = /-?\d[\d.eE+-]*/g

export class SecretSearch {
  /** Secrets that are hidden only if they are a whole text: inside others they would be found by chance. */
  readonly #short = new Set<string>()
  readonly #secrets = new Set<string>()
  /** Maps a pattern to its secrets. */
  readonly #secretsOf = new Map<string, string[]>()
  /** Searches for the forms that a secret may have inside other text. */
  readonly #inside: PatternSearch
  /** Searches for the same in JSON text, and for short secrets as whole strings. */
  readonly #json: PatternSearch

  readonly #values: readonly string[]

  constructor(values: readonly string[]) {
    this.#values = values
    for (const value of values)
      for (const secret of new Set([value, sentAs(value)])) {
        this.#secrets.add(secret)
        if (secret.length >= SHORTEST_FORM) for (const form of secretForms(secret)) this.#stands(form, secret)
        else if (secret.length >= SHORTEST) this.#short.add(secret)
      }
    this.#inside = new PatternSearch(this.#secretsOf.keys())
    const forms = [...this.#secretsOf]
    const inJson = new Set(this.#secretsOf.keys())
    for (const [form, secrets] of forms) {
      const escaped = JSON.stringify(form).slice(1, -1)
      if (escaped === form) continue
      // A match of the beginning is enough for a closer look.
      const beginning = escaped.slice(0, LONGEST_PATTERN)
      inJson.add(beginning)
      for (const secret of secrets) this.#stands(beginning, secret)
    }
    for (const secret of this.#short) {
      const whole = JSON.stringify(secret)
      inJson.add(whole)
      this.#stands(whole, secret)
    }
    this.#json = new PatternSearch(inJson)
  }

  #stands(pattern: string, secret: string): void {
    const same = this.#secretsOf.get(pattern)
    if (!same) this.#secretsOf.set(pattern, [secret])
    else if (!same.includes(secret)) same.push(secret)
  }

  knows(value: string): boolean {
    return this.#secrets.has(value)
  }

  /** Returns a search for the same secrets except these. */
  without(secrets: ReadonlySet<string>): SecretSearch {
    return new SecretSearch(this.#values.filter((value) => !secrets.has(value) && !secrets.has(sentAs(value))))
  }

  contains(text: string): boolean {
    if (this.#secrets.size === 0) return false
    return this.#short.has(text) || spansIn(text, this.#inside, LAYERS).length > 0
  }

  /** Finds the secrets in a JSON text, in every form. */
  secretsIn(json: string): string[] {
    if (this.#secrets.size === 0) return []
    const found = new Set<string>()
    let layer: string | null = json
    for (let layers = LAYERS + 1; layer !== null && layers >= 0; layers--) {
      this.#json.each(layer, (pattern) => {
        for (const secret of this.#secretsOf.get(pattern)!) found.add(secret)
      })
      layer = decoded(layer)
    }
    return [...found]
  }

  redactText(text: string): string {
    if (this.#secrets.size === 0) return text
    return masked(text, spansIn(text, this.#inside, LAYERS))
  }

  /** Redacts the strings and numbers of JSON text, and leaves everything else unchanged. */
  redactJsonText(text: string): string {
    if (this.#secrets.size === 0) return text
    const spans = this.#spansOfJson(text)
    if (spans.length === 0) return text
    let redacted = ''
    let kept = 0
    const replace = (start: number, end: number, by: string) => {
      redacted += text.slice(kept, start) + by
      kept = end
    }
    let next = 0
    const foundIn = (start: number, end: number): boolean => {
      while (next < spans.length && spans[next]!.end <= start) next++
      return next < spans.length && spans[next]!.start < end
    }
    for (let at = 0; at < text.length; ) {
      const quote = text.indexOf('"', at)
      const open = quote === -1 ? text.length : quote
      if (foundIn(at, open))
        for (const { 0: number, index } of text.slice(at, open).matchAll(NUMBERS))
          if (this.#hides(number)) replace(at + index, at + index + number.length, `"${MASK}"`)
      if (quote === -1) break
      at = endOfString(text, open)
      if (!foundIn(open, at)) continue
      const plain = unescaped(text.slice(open + 1, text[at - 1] === '"' && at > open + 1 ? at - 1 : at))
      if (OWN_KEYS.has(plain) && /^\s*:/.test(text.slice(at, at + 9))) continue
      const shown = this.#string(plain)
      if (shown !== plain) replace(open, at, JSON.stringify(shown))
    }
    return kept === 0 ? text : redacted + text.slice(kept)
  }

  /** Redacts keys too; returns the same reference if nothing is hidden. */
  redactJson<T>(value: T): T {
    if (this.#secrets.size === 0) return value
    if (typeof value !== 'object' || value === null) return this.#tree(value) as T
    // Most values hold no secret, and one search is faster than one per string.
    return this.#spansOfJson(JSON.stringify(value) ?? '').length ? (this.#tree(value) as T) : value
  }

  /** Returns where something may have to be hidden. A string of JSON has one layer more than its text. */
  #spansOfJson(text: string): Span[] {
    const encoded = (text.includes('\\') || text.includes('%') || text.includes('&')) && ENCODED.test(text)
    return spansIn(text, this.#json, encoded ? LAYERS + 1 : 0)
  }

  #hides(number: string): boolean {
    return number.length >= SHORTEST_FORM && this.#inside.finds(number)
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
}

/** Returns a value as a header sends it: trimmed, and without a pasted scheme. */
const sentAs = (value: string): string => value.trim().replace(/^(?:bearer|basic)\s+/i, '')

/** Returns spans in order, which do not touch. */
function spansIn(text: string, search: PatternSearch, layers: number): Span[] {
  const spans = search.all(text)
  const inner = layers > 0 ? decoded(text) : null
  if (inner === null) return spans
  const below = spansIn(inner, search, layers - 1)
  return below.length ? united(spans, spansBefore(text, below)) : spans
}

function united(some: readonly Span[], others: readonly Span[]): Span[] {
  if (some.length === 0) return [...others]
  const spans: Span[] = []
  for (let i = 0, j = 0; i < some.length || j < others.length; ) {
    const takesFirst = j === others.length || (i < some.length && some[i]!.start <= others[j]!.start)
    addSpan(spans, takesFirst ? some[i++]! : others[j++]!)
  }
  return spans
}

function masked(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text
  let shown = ''
  let kept = 0
  for (const { start, end } of spans) {
    shown += text.slice(kept, start) + MASK
    kept = end
  }
  return shown + text.slice(kept)
}

/** Returns the place after the closing quote. */
function endOfString(text: string, open: number): number {
  for (let quote = text.indexOf('"', open + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text[quote - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return quote + 1
  }
  return text.length
}
