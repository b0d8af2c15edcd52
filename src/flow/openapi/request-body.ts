// Builds the body of an operation: the type that a step can send best, with an example or a value made from its schema.
import type { HttpBody, NameValue } from '../curl/http-settings.ts'
import type { NotTaken } from '../curl/parse-curl.ts'
import { isMediaTypeName } from '../outbound-parts.ts'
import { entriesAt, follow, isNode, type Node, own, textAt } from './document.ts'
import { givenExample, NOTHING, Skeleton } from './example.ts'
import { literal, literalTree } from './literal.ts'
import { plain, UNREADABLE } from './parameters.ts'
import { sendableFields } from './sendable.ts'

export interface RequestBody {
  body?: HttpBody
  headers: NameValue[]
}

const PREFERRED = [
  /^application\/json\b/i,
  /[+/]json\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^multipart\/form-data\b/i,
  /^text\/|[+/]xml\b/i,
  /^\*\/\*$/,
]

export function readBody(document: Node, operation: unknown, method: string, notTaken: NotTaken[]): RequestBody {
  const given = own(operation, 'requestBody')
  if (given === undefined) return { headers: [] }
  const types = entriesAt(follow(document, given), 'content')
  const rank = ([type]: [string, unknown]) =>
    isMediaTypeName(type)
      ? PREFERRED.findIndex((one) => one.test(type)) + 1 || PREFERRED.length + 1
      : PREFERRED.length + 2
  const [chosen, ...others] = types.toSorted((a, b) => rank(a) - rank(b))
  if (!chosen || method === 'HEAD') {
    notTaken.push({ what: 'Body', reason: chosen ? 'A HEAD request cannot have one.' : UNREADABLE })
    return { headers: [] }
  }
  const sent = chosen[0] !== '*/*' && isMediaTypeName(chosen[0]) ? chosen[0] : 'application/json'
  const unfit = isMediaTypeName(chosen[0]) ? [] : [chosen]
  for (const [type] of [...unfit, ...others])
    notTaken.push({ what: type || 'A type without a name', reason: `The body is sent as ${sent}.` })
  return bodyOf(document, sent, chosen[1], notTaken)
}

function bodyOf(document: Node, type: string, media: unknown, notTaken: NotTaken[]): RequestBody {
  const isForm = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type)
  const isJson = /[+/]json\b/i.test(type)
  const value = isForm || isJson ? filledIn(document, media, notTaken) : givenExample(document, media)
  if (isForm) {
    const multipart = /^multipart/i.test(type)
    return {
      body: {
        kind: 'form',
        fields: sendableFields(fieldsOf(document, media, value, notTaken), notTaken),
        ...(multipart && { multipart }),
      },
      headers: [],
    }
  }
  if (isJson)
    return {
      body: { kind: 'json', value: literalTree(value) },
      headers: /^application\/json$/i.test(type) ? [] : [{ name: 'Content-Type', value: type }],
    }
  if (typeof value !== 'string')
    notTaken.push({ what: `Body (${type})`, reason: 'It has no example as text: write it.' })
  return {
    body: { kind: 'text', value: typeof value === 'string' ? literal(value) : '', contentType: type },
    headers: [],
  }
}

const MOST_NAMED = 30

function filledIn(document: Node, media: unknown, notTaken: NotTaken[]): unknown {
  const example = givenExample(document, media)
  if (example !== NOTHING) return example
  const skeleton = new Skeleton(document)
  const value = skeleton.of(own(media, 'schema'))
  notTaken.push({
    what: 'Body',
    reason: 'The description has no example: the import made the body from the schema. Fill in its values.',
  })
  const { optional } = skeleton
  if (optional.length)
    notTaken.push({
      what: optional.slice(0, MOST_NAMED).join(', ') + (optional.length > MOST_NAMED ? ', …' : ''),
      reason: 'Optional fields of the body: add what you need.',
    })
  return value === NOTHING ? {} : value
}

function fieldsOf(document: Node, media: unknown, value: unknown, notTaken: NotTaken[]): NameValue[] {
  if (!isNode(value)) return []
  const properties = own(follow(document, own(media, 'schema')), 'properties')
  return Object.entries(value).flatMap(([name, item]) => {
    if (isFile(follow(document, own(properties, name)))) {
      notTaken.push({ what: name, reason: 'A file: a part of a form is text here.' })
      return []
    }
    return (Array.isArray(item) ? item : [item]).map((one) => ({ name: literal(name), value: literal(plain(one)) }))
  })
}

const isFile = (schema: unknown): boolean =>
  textAt(schema, 'format') === 'binary' || textAt(schema, 'contentMediaType') === 'application/octet-stream'
