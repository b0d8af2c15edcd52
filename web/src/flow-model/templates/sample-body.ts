// A body to try a flow with, made of what its templates read: nobody has to look that up.
import { parseTemplate, TemplateSyntaxError } from '../../../../src/flow/expression/index.ts'
import { FormatError } from '../../../../src/flow/formats/format-error.ts'
import { writeXml } from '../../../../src/flow/formats/write-xml.ts'
import type { EditedFlow } from '../flow-tree.ts'
import { isObject } from '../is-object.ts'

type Sample = Record<string, unknown>

export function sampleBody(document: EditedFlow): Sample {
  const body: Sample = {}
  for (const path of bodyPaths(document)) put(body, path)
  return Object.keys(body).length ? body : { hello: 'world' }
}

/** Returns the same as XML, with its type, for a trigger that parses XML and takes no JSON. */
export function sampleXml(document: EditedFlow): { text: string; type: string } | null {
  const { parse, accept } = document.trigger
  const types = Array.isArray(accept) ? accept.map(String) : []
  if (parse !== 'xml' || types.some((type) => /json/i.test(type))) return null
  const type = types.find((one) => /^[^*]*xml$/i.test(one)) ?? 'text/xml'
  try {
    return { text: writeXml(sampleBody(document)), type }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return { text: '<hello>world</hello>', type }
  }
}

/** Lists that loops go through, as paths; what is read of their items is put into their one element. */
function bodyPaths(value: unknown): string[][] {
  if (typeof value === 'string') return pathsIn(value)
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(bodyPaths)
}

function pathsIn(text: string): string[][] {
  if (!text.includes('webhook')) return []
  try {
    return parseTemplate(text).parts.flatMap((part) =>
      typeof part === 'string'
        ? []
        : part.references
            .filter(({ path: [root, first] }) => root === 'webhook' && first === 'body')
            .map(({ path }) => path.slice(2)),
    )
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return []
    throw error
  }
}

const INDEX = /^\d+$/

function put(into: Sample, [key, ...rest]: string[]): void {
  if (key === undefined || key === 'length') return
  const next = rest[0]
  const present = Object.hasOwn(into, key) ? into[key] : undefined
  if (next === undefined || next === 'length' || INDEX.test(next)) {
    // A property read elsewhere says more than a plain value.
    if (present === undefined) into[key] = next === undefined ? exampleOf(key) : ['example']
    return
  }
  const inner = isObject(present) ? present : {}
  into[key] = inner
  put(inner, rest)
}

function exampleOf(name: string): unknown {
  if (/(?:^|_)(?:id|number|no)$|Id$/i.test(name)) return 1042
  if (/total|amount|price|count|quantity|pieces|age/i.test(name)) return 120
  if (/email/i.test(name)) return 'ada@example.com'
  if (/url|link/i.test(name)) return 'https://example.com'
  if (/(?:^|_)(?:at|date|time)$|At$/i.test(name)) return '2026-11-15T08:00:00Z'
  if (/items|lines|list|tags|entries|results/i.test(name)) return [{ id: 1 }, { id: 2 }]
  return 'example'
}
