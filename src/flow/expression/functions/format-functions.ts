/** Functions that read and write XML and CSV. */
import { FormatError } from '../../formats/format-error.ts'
import { readCsv } from '../../formats/read-csv.ts'
import { readXml } from '../../formats/read-xml.ts'
import { writeCsv } from '../../formats/write-csv.ts'
import { writeXml } from '../../formats/write-xml.ts'
import { MOST_LISTS } from '../../formats/xml-lists.ts'
import { toList, toText } from '../values/conversion.ts'
import { fail } from '../values/errors.ts'
import type { Evaluation } from '../values/evaluation.ts'
import { settle } from '../values/settle.ts'
import type { GlobalFunction } from './method.ts'
import { asObject } from './object-functions.ts'

export const FORMAT_FUNCTIONS: Readonly<Record<string, GlobalFunction>> = {
  xml: {
    arity: [1, 2],
    call(run, [given, options]) {
      const text = textOf(run, given)
      const { lists } = optionsOf('xml', options, ['lists'])
      return attempt('The text given to xml is not XML that can be read', () =>
        readXml(text, { lists: lists === undefined ? [] : pathsOf(lists), meter: run }),
      )
    },
  },
  toXml: {
    arity: [1, 1],
    call: (run, [value]) => attempt('The value given to toXml cannot be XML', () => writeXml(settle(run, value), run)),
  },
  csv: {
    arity: [1, 2],
    call(run, [given, options]) {
      const text = textOf(run, given)
      const { header, delimiter } = optionsOf('csv', options, ['header', 'delimiter'])
      return attempt('The text given to csv is not CSV that can be read', () =>
        readCsv(text, { header: flag('header', header), delimiter: optional(delimiter), meter: run }),
      )
    },
  },
  toCsv: {
    arity: [1, 2],
    call(run, [rows, options]) {
      const { header, delimiter, escapeFormulas } = optionsOf('toCsv', options, [
        'header',
        'delimiter',
        'escapeFormulas',
      ])
      return attempt('The value given to toCsv cannot be CSV', () =>
        writeCsv(settle(run, rows), {
          header: flag('header', header),
          delimiter: optional(delimiter),
          escapeFormulas: flag('escapeFormulas', escapeFormulas),
          meter: run,
        }),
      )
    },
  },
}

function textOf(run: Evaluation, given: unknown): string {
  const text = toText(given)
  run.read(text)
  return text
}

function attempt(what: string, convert: () => unknown): unknown {
  try {
    return convert()
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return fail(`${what}: ${error.message}`, HINT)
  }
}

const HINT = 'Look at the data; the guide says what of XML and CSV can be read and written.'

/** An option that nobody knows is a typing error. */
function optionsOf(name: string, given: unknown, known: readonly string[]): Record<string, unknown> {
  if (given === undefined) return {}
  const options = asObject(given)
  if (Object.keys(options).some((key) => !known.includes(key)))
    fail(`${name} has the ${known.length === 1 ? 'option' : 'options'} ${known.join(', ')}, and no other`)
  return { ...options }
}

function pathsOf(lists: unknown): string[] {
  const paths = toList(lists)
  if (paths.length > MOST_LISTS) fail(`lists names at most ${MOST_LISTS} elements`)
  return paths.map(toText)
}

function flag(name: string, value: unknown): boolean | undefined {
  if (value !== undefined && typeof value !== 'boolean') fail(`The option ${name} is true or false`)
  return value
}

const optional = (value: unknown): string | undefined => (value === undefined ? undefined : toText(value))
