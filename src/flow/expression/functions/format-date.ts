/** Writes a date by a pattern of Unicode's letters (UTS 35), in English. */
import { fail } from '../values/errors.ts'

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const HINT =
  "Use y, M, d, E, a, H, h, m, s, S, X, x and D, such as yyyy-MM-dd'T'HH:mm:ssXXX; put other letters in quotes: 'at'."
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const LONGEST = 200

/** `wall` has the time of the zone in its UTC parts. */
export function formatWall(wall: Date, offsetMs: number, pattern: string): string {
  if (pattern.length > LONGEST) fail(`A pattern of formatDate has at most ${LONGEST} characters`)
  let text = ''
  for (let at = 0; at < pattern.length; ) {
    const letter = pattern[at]!
    if (letter === "'") {
      const { quoted, end } = quotedAt(pattern, at)
      text += quoted
      at = end
    } else if (/[A-Za-z]/.test(letter)) {
      let end = at + 1
      while (pattern[end] === letter) end++
      text += field(wall, offsetMs, letter, end - at)
      at = end
    } else {
      text += letter
      at++
    }
  }
  return text
}

/** Reads quoted text; two quotes stand for one, inside and outside. */
function quotedAt(pattern: string, start: number): { quoted: string; end: number } {
  if (pattern[start + 1] === "'") return { quoted: "'", end: start + 2 }
  let quoted = ''
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] !== "'") quoted += pattern[at]
    else if (pattern[at + 1] === "'") quoted += pattern[++at]
    else return { quoted, end: at + 1 }
  }
  return fail('A quote in the pattern of formatDate is not closed', HINT)
}

const padded = (value: number, length: number): string => String(value).padStart(length, '0')

function field(wall: Date, offsetMs: number, letter: string, count: number): string {
  const upTo = (most: number) => {
    if (count > most) fail(`formatDate knows no "${letter.repeat(Math.min(count, 10))}"`, HINT)
  }
  const number = (value: number) => {
    upTo(2)
    return padded(value, count)
  }
  const named = (names: readonly string[], at: number) => (count === 4 ? names[at]! : names[at]!.slice(0, 3))
  switch (letter) {
    case 'y': {
      upTo(4)
      const year = wall.getUTCFullYear()
      return count === 2 ? padded(Math.abs(year) % 100, 2) : `${year < 0 ? '-' : ''}${padded(Math.abs(year), count)}`
    }
    case 'M':
      upTo(4)
      return count > 2 ? named(MONTHS, wall.getUTCMonth()) : padded(wall.getUTCMonth() + 1, count)
    case 'd':
      return number(wall.getUTCDate())
    case 'D':
      upTo(3)
      return padded(Math.floor((wall.getTime() - Date.UTC(wall.getUTCFullYear(), 0, 1)) / DAY_MS) + 1, count)
    case 'E':
      upTo(4)
      return named(WEEKDAYS, wall.getUTCDay())
    case 'a':
      upTo(1)
      return wall.getUTCHours() < 12 ? 'AM' : 'PM'
    case 'H':
      return number(wall.getUTCHours())
    case 'h':
      return number(wall.getUTCHours() % 12 || 12)
    case 'm':
      return number(wall.getUTCMinutes())
    case 's':
      return number(wall.getUTCSeconds())
    case 'S':
      upTo(3)
      return padded(wall.getUTCMilliseconds(), 3).slice(0, count)
    case 'X':
    case 'x':
      upTo(3)
      return offset(offsetMs, letter, count)
    case 'Y':
      return fail('Y is the year of the week in formatDate, which few people mean', 'Write yyyy for the year.')
    default:
      return fail(`formatDate knows no "${letter}"`, HINT)
  }
}

/** `X` writes Z for UTC. One letter: +01, or +0530 where there are minutes; two: +0100; three: +01:00. */
function offset(offsetMs: number, letter: string, count: number): string {
  if (letter === 'X' && offsetMs === 0) return 'Z'
  const minutes = Math.abs(Math.trunc(offsetMs / MINUTE_MS))
  const [hour, rest] = [padded(Math.floor(minutes / 60), 2), minutes % 60]
  const end = count === 3 ? `:${padded(rest, 2)}` : count === 2 || rest > 0 ? padded(rest, 2) : ''
  return `${offsetMs < 0 ? '-' : '+'}${hour}${end}`
}
