// Reads the half-written expression before the cursor: which name or key is being typed, and on what.

export interface Token {
  type: 'name' | 'number' | 'text' | 'open text' | 'sign'
  text: string
  start: number
  end: number
}

/** The expression around the cursor, from behind its `{{`; null outside of braces. */
export function expressionBefore(text: string, cursor: number): { source: string; start: number } | null {
  let from = 0
  for (;;) {
    const open = text.indexOf('{{', from)
    if (open === -1 || open + 2 > cursor) return null
    const close = closeOf(text, open + 2)
    if (close === -1 || cursor <= close) return { source: text.slice(open + 2, cursor), start: open + 2 }
    from = close + 2
  }
}

/** Every `{{ … }}` with its braces; one that is not closed goes to the end. */
export function expressionRanges(text: string): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = []
  let from = text.indexOf('{{')
  while (from !== -1) {
    const close = closeOf(text, from + 2)
    const to = close === -1 ? text.length : close + 2
    ranges.push({ from, to })
    from = text.indexOf('{{', to)
  }
  return ranges
}

/** Where the `}}` of an expression stands: outside of its strings and of its own braces. */
function closeOf(text: string, from: number): number {
  let depth = 0
  for (const { type, text: sign, start } of tokens(text, from)) {
    if (type !== 'sign') continue
    if (sign === '{') depth++
    if (sign !== '}') continue
    if (depth > 0) depth--
    else if (text[start + 1] === '}') return start
  }
  return -1
}

const SIGNS = /\?\.(?!\d)|=>|\.\.\.|\?\?|&&|\|\||[=!]==?|[<>]=|./y
const NAME = /[A-Za-z_$][\w$]*/y
const NUMBER = /\d[\d._eExX]*/y

export function* tokens(text: string, from = 0): Generator<Token> {
  let at = from
  while (at < text.length) {
    const character = text[at]!
    if (/\s/.test(character)) {
      at++
      continue
    }
    const end = /['"`]/.test(character) ? endOfText(text, at) : -1
    if (end !== -1) {
      const closed = text[end - 1] === character && end - at > 1
      yield { type: closed ? 'text' : 'open text', text: text.slice(at, end), start: at, end }
      at = end
      continue
    }
    const [type, pattern] = /[A-Za-z_$]/.test(character)
      ? (['name', NAME] as const)
      : /\d/.test(character)
        ? (['number', NUMBER] as const)
        : (['sign', SIGNS] as const)
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? character
    yield { type, text: found, start: at, end: at + found.length }
    at += found.length
  }
}

function endOfText(text: string, start: number): number {
  const quote = text[start]
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === quote) return at + 1
    // Only a template string goes over several lines.
    else if (text[at] === '\n' && quote !== '`') return at
  }
  return text.length
}

export type Typing =
  /** A name at the start of a value: a root, a function, an arrow function's parameter. */
  | { kind: 'name'; typed: string; locals: ReadonlyMap<string, string> }
  /** A property: after a dot, or in brackets and quotes. */
  | { kind: 'key'; typed: string; base: string; access: '.' | '?.' | '['; quote: string }

export function readTyping(source: string): Typing | null {
  const all = [...tokens(source)]
  const last = all.at(-1)
  if (last?.type === 'open text') return readQuotedKey(all, source)
  const isTyping = last?.type === 'name' && last.end === source.length
  const typed = isTyping ? last.text : ''
  const before = isTyping ? all.slice(0, -1) : all
  const previous = before.at(-1)
  if (previous?.type === 'sign' && (previous.text === '.' || previous.text === '?.')) {
    const base = baseOf(before.slice(0, -1), source)
    return base ? { kind: 'key', typed, base, access: previous.text, quote: '' } : null
  }
  const startsValue = previous === undefined || (previous.type === 'sign' && !/^[)\]}]$/.test(previous.text))
  if (!startsValue || /\d$/.test(source.slice(0, source.length - typed.length))) return null
  return { kind: 'name', typed, locals: localsOf(before, source) }
}

function readQuotedKey(all: Token[], source: string): Typing | null {
  const quoted = all.at(-1)!
  const bracket = all.at(-2)
  if (bracket?.text !== '[' || quoted.text.startsWith('`')) return null
  const base = baseOf(all.slice(0, -2), source)
  return base ? { kind: 'key', typed: quoted.text.slice(1), base, access: '[', quote: quoted.text[0]! } : null
}

/** The source of the value that ends with the last token, with the parameters of arrow functions replaced by what they stand for. */
function baseOf(all: Token[], source: string): string | null {
  const start = startOfValue(all)
  if (start === -1) return null
  const [first] = all.slice(start)
  const written = source.slice(first!.start, all.at(-1)!.end)
  const stands = first!.type === 'name' ? localsOf(all.slice(0, start), source).get(first!.text) : undefined
  return stands === undefined ? written : stands + written.slice(first!.text.length)
}

const OPENING: Record<string, string> = { ')': '(', ']': '[' }

/** The index of the token at which the value begins that ends with the last one; -1 where none ends there. */
function startOfValue(all: Token[]): number {
  let at = all.length - 1
  for (;;) {
    const token = all[at]
    if (!token) return -1
    if (token.text in OPENING) {
      const open = openingOf(all, at)
      const before = all[open - 1]
      if (open === -1) return -1
      // A call or an index goes on with what it is done on; otherwise the bracket begins the value.
      if (!before || !(before.type === 'name' || before.type === 'text' || before.text in OPENING)) return open
      at = open - 1
      continue
    }
    if (token.type === 'sign') return -1
    const before = all[at - 1]
    if (before?.text === 'new') return at - 1
    if (before?.text !== '.' && before?.text !== '?.') return at
    at -= 2
  }
}

function openingOf(all: Token[], close: number): number {
  let depth = 0
  for (let at = close; at >= 0; at--) {
    const { type, text } = all[at]!
    if (type !== 'sign') continue
    if (/^[)\]}]$/.test(text)) depth++
    else if (/^[([{]$/.test(text) && --depth === 0) return at
  }
  return -1
}

/** For each parameter of an arrow function whose body the cursor is in: an expression that gives a value of it. */
function localsOf(all: Token[], source: string): Map<string, string> {
  const locals = new Map<string, string>()
  for (const [at, token] of all.entries()) {
    if (token.text !== '=>') continue
    const last = all[at - 1]
    const first = last?.text === ')' ? openingOf(all, at - 1) : at - 1
    const call = first - 1
    if (all[call]?.text !== '(' || isClosed(all, call)) continue
    const method = all[call - 1]
    const list = all[call - 2]?.text.endsWith('.') ? baseOf(all.slice(0, call - 2), source) : null
    if (!method || list === null) continue
    const parameters = last?.text === ')' ? all.slice(first + 1, at - 1) : [last!]
    bind(splitParameters(parameters), method.text, `(${list})[0]`, locals)
  }
  return locals
}

function isClosed(all: Token[], open: number): boolean {
  return all.some((token, at) => at > open && token.text === ')' && openingOf(all, at) === open)
}

function splitParameters(all: Token[]): Token[][] {
  const parameters: Token[][] = [[]]
  let depth = 0
  for (const token of all) {
    if (/^[([{]$/.test(token.text)) depth++
    if (/^[)\]}]$/.test(token.text)) depth--
    if (token.text === ',' && depth === 0) parameters.push([])
    else parameters.at(-1)!.push(token)
  }
  return parameters
}

function bind(parameters: Token[][], method: string, element: string, locals: Map<string, string>): void {
  const elements = /^(?:toS|s)ort(?:ed)?$/.test(method) ? [0, 1] : method.startsWith('reduce') ? [1] : [0]
  for (const [index, parameter] of parameters.entries()) {
    if (!elements.includes(index)) {
      const [name] = parameter
      if (name?.type === 'name')
        locals.set(name.text, method.startsWith('reduce') && index === 0 ? '(undefined)' : '(0)')
      continue
    }
    if (parameter.length === 1) locals.set(parameter[0]!.text, element)
    else bindParts(parameter, element, locals)
  }
}

/** `({ id, total: sum })` and `([key, value])`, one level deep. */
function bindParts([open, ...rest]: Token[], element: string, locals: Map<string, string>): void {
  for (const [index, part] of splitParameters(rest.slice(0, -1)).entries()) {
    const name = part.at(-1)
    if (name?.type !== 'name') continue
    locals.set(name.text, open?.text === '[' ? `${element}[${index}]` : `${element}.${part[0]!.text}`)
  }
}
