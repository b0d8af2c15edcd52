// The host's conversions for the guest: the same as those of expressions, in time and memory that their limits bound.
import { isObject } from '../base/is-object.ts'
import { readCsv } from '../flow/formats/read-csv.ts'
import { readXml } from '../flow/formats/read-xml.ts'
import { writeCsv } from '../flow/formats/write-csv.ts'
import { writeXml } from '../flow/formats/write-xml.ts'
import { MOST_LISTS } from '../flow/formats/xml-lists.ts'

/** Each takes its arguments as a list, as they come from the guest. */
export const FORMAT_FUNCTIONS: readonly (readonly [string, (args: unknown) => unknown])[] = [
  ['readXml', (args) => readXml(textIn(args), { lists: listsOf(optionsIn(args, 'xml', ['lists'])['lists']) })],
  ['writeXml', (args) => writeXml(argument(args, 0))],
  [
    'readCsv',
    (args) => {
      const { header, delimiter } = optionsIn(args, 'csv', ['header', 'delimiter'])
      return readCsv(textIn(args), { header: flag('header', header), delimiter: textOf(delimiter) })
    },
  ],
  [
    'writeCsv',
    (args) => {
      const given = optionsIn(args, 'toCsv', ['header', 'delimiter', 'escapeFormulas'])
      return writeCsv(argument(args, 0), {
        header: flag('header', given['header']),
        delimiter: textOf(given['delimiter']),
        escapeFormulas: flag('escapeFormulas', given['escapeFormulas']),
      })
    },
  ],
]

const argument = (args: unknown, at: number): unknown => (Array.isArray(args) ? args[at] : undefined)

function textIn(args: unknown): string {
  const text = argument(args, 0)
  if (typeof text !== 'string') throw new TypeError('not text')
  return text
}

function optionsIn(args: unknown, name: string, known: readonly string[]): Record<string, unknown> {
  const given = argument(args, 1) ?? {}
  if (!isObject(given) || Object.keys(given).some((key) => !known.includes(key)))
    throw new TypeError(
      `${name} has the ${known.length === 1 ? 'option' : 'options'} ${known.join(', ')}, and no other`,
    )
  return given
}

function listsOf(lists: unknown): string[] {
  if (lists === undefined) return []
  if (!Array.isArray(lists) || lists.length > MOST_LISTS || !lists.every((path) => typeof path === 'string'))
    throw new TypeError(`lists is a list of at most ${MOST_LISTS} texts`)
  return lists
}

function flag(name: string, value: unknown): boolean | undefined {
  if (value !== undefined && typeof value !== 'boolean') throw new TypeError(`The option ${name} is true or false`)
  return value
}

function textOf(value: unknown): string | undefined {
  if (value !== undefined && typeof value !== 'string') throw new TypeError('The option delimiter is text')
  return value
}
