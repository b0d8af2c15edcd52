// The text of a record in the log of runs: a line of JSON, and after it the long texts of its values, as they are. To write those as JSON
// would take most of the time, as bodies and results are full of quotes.
import type { HotStatement, HotWrite } from './hot-writes.ts'

/** What a record may consist of: rows that nobody else writes, and counts. */
const KINDS: ReadonlySet<string> = new Set(['insertRun', 'updateRun', 'count', 'putStep'] satisfies HotStatement[0][])
const MOST_CHARS = 32 * 1024
/** A longer text follows the line, in which its length stands for it. */
const SHORT_CHARS = 40

/** The records of the runs that are put into the tables together, and what marks them as stored. */
export interface Generation {
  records: readonly string[]
  mark: HotStatement
}

type Told = string | number | null | [chars: number]

/** Returns null for a write that is too long, or not of one run alone. */
export function recordOf(write: HotWrite): string | null {
  const line: unknown[] = []
  let texts = ''
  let chars = 0
  for (const [i, [kind, given]] of write.entries()) {
    if (!KINDS.has(kind) || (i > 0 && (kind === 'insertRun' || kind === 'updateRun'))) return null
    if (kind === 'count') {
      line.push(write[i])
      continue
    }
    const told: Told[] = []
    for (const value of given as unknown[]) {
      if (typeof value === 'string') {
        chars += value.length
        if (chars > MOST_CHARS) return null
        if (value.length > SHORT_CHARS) {
          told.push([value.length])
          texts += value
        } else told.push(value)
      } else if (typeof value === 'number' || value === null) told.push(value)
      // Only what JSON gives back as it was.
      else return null
    }
    line.push([kind, told])
  }
  return `${JSON.stringify(line)}\n${texts}`
}

/** Former versions wrote the line alone, with all texts in it. */
export function readRecord(record: string): HotWrite {
  const lineEnd = record.indexOf('\n')
  if (lineEnd === -1) return JSON.parse(record) as HotWrite
  const line = JSON.parse(record.slice(0, lineEnd)) as [string, Told[]][]
  let end = lineEnd + 1
  const told = (value: Told) => {
    if (!Array.isArray(value)) return value
    const start = end
    end += value[0]
    return record.slice(start, end)
  }
  return line.map(([kind, values]) => [kind, kind === 'count' ? values : values.map(told)]) as unknown as HotWrite
}

/** Returns what puts the runs into the tables. */
export const writeOf = ({ records, mark }: Generation): HotWrite => [...records.flatMap(readRecord), mark]
