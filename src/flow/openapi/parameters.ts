// Writes the parameters of an operation in the style that it asks for.
import type { NameValue } from '../curl/http-settings.ts'
import type { NotTaken } from '../curl/parse-curl.ts'
import { entriesAt, follow, isNode, listAt, type Node, own, textAt } from './document.ts'
import { givenExample, NOTHING } from './example.ts'
import { literal } from './literal.ts'

export interface Parameters {
  /** The encoded values by name. */
  path: Map<string, string>
  query: NameValue[]
  headers: NameValue[]
}

/** Headers that are described elsewhere: as the body, or as security. */
const NOT_HERE = new Set(['accept', 'content-type', 'authorization'])

export function readParameters(document: Node, item: unknown, operation: unknown, notTaken: NotTaken[]): Parameters {
  const found: Parameters = { path: new Map(), query: [], headers: [] }
  const cookies: string[] = []
  const optional: string[] = []
  for (const parameter of merged(document, item, operation, notTaken)) {
    const [name, place] = [textAt(parameter, 'name')!, textAt(parameter, 'in')!]
    if (place === 'header' && NOT_HERE.has(name.toLowerCase())) continue
    if (place !== 'path' && own(parameter, 'required') !== true) {
      optional.push(`${name} (${place})`)
      continue
    }
    const pairs = pairsOf(document, parameter, name, place)
    if (pairs === null) notTaken.push({ what: `${name} (${place})`, reason: FILL_IN })
    const values = pairs ?? [{ name: literal(name), value: placeholder(name) }]
    if (place === 'query') found.query.push(...values)
    else if (place === 'header') found.headers.push({ name: literal(name), value: values[0]!.value })
    else if (place === 'cookie') cookies.push(`${literal(name)}=${values[0]!.value}`)
    else found.path.set(name, pairs ? encodeURIComponent(values[0]!.value.toWellFormed()) : values[0]!.value)
    if (own(parameter, 'allowReserved') === true)
      notTaken.push({ what: `allowReserved of ${name}`, reason: 'Values in a query are always encoded.' })
  }
  if (cookies.length) found.headers.push({ name: 'Cookie', value: cookies.join('; ') })
  if (optional.length) notTaken.push({ what: optional.join(', '), reason: 'Optional: add what you need.' })
  return found
}

export const FILL_IN =
  'The description gives no value for it: the step uses a variable. Set the variable, or write a reference.'

/** Returns a template with a variable that no step sets, so that publishing asks for it. */
export const placeholder = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? `{{ vars.${name} }}` : `{{ vars[${JSON.stringify(name)}] }}`

/** Merges the parameters; those of the operation override those of its path. */
function merged(document: Node, item: unknown, operation: unknown, notTaken: NotTaken[]): Node[] {
  const all = new Map<string, Node>()
  for (const given of [...listAt(item, 'parameters'), ...listAt(operation, 'parameters')]) {
    const parameter = follow(document, given)
    const [name, place] = [textAt(parameter, 'name'), textAt(parameter, 'in')]
    if (isNode(parameter) && name && place && PLACES.has(place)) all.set(`${place} ${name}`, parameter)
    else notTaken.push({ what: textAt(given, '$ref') ?? name ?? 'A parameter', reason: UNREADABLE })
  }
  return [...all.values()]
}

const PLACES = new Set(['path', 'query', 'header', 'cookie'])
export const UNREADABLE = 'It is not in this document, or has the wrong type.'

function pairsOf(document: Node, parameter: Node, name: string, place: string): NameValue[] | null {
  const [media] = entriesAt(parameter, 'content')
  const value = givenExample(document, media ? media[1] : parameter)
  if (value === NOTHING) return null
  if (media) return [{ name: literal(name), value: literal(JSON.stringify(value)) }]
  const style = textAt(parameter, 'style') ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  const explode = own(parameter, 'explode') ?? style === 'form'
  return styled(name, value, style, explode === true, place === 'query').map((pair) => ({
    name: literal(pair.name),
    value: place === 'path' ? pair.value : literal(pair.value),
  }))
}

const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: ' ', pipeDelimited: '|' }

function styled(name: string, value: unknown, style: string, explode: boolean, isQuery: boolean): NameValue[] {
  if (Array.isArray(value)) {
    if (isQuery && explode) return value.map((one) => ({ name, value: plain(one) }))
    return [{ name, value: value.map(plain).join(SEPARATORS[style] ?? ',') }]
  }
  if (!isNode(value)) return [{ name, value: plain(value) }]
  const entries = Object.entries(value).map(([key, item]): [string, string] => [key, plain(item)])
  if (isQuery && style === 'deepObject') return entries.map(([key, item]) => ({ name: `${name}[${key}]`, value: item }))
  if (isQuery && explode) return entries.map(([key, item]) => ({ name: key, value: item }))
  return [{ name, value: entries.map((entry) => entry.join(explode ? '=' : ',')).join(',') }]
}

/** Returns a value as text; nested values become JSON. */
export function plain(value: unknown): string {
  if (typeof value === 'string') return value
  return value === null ? '' : JSON.stringify(value)
}
