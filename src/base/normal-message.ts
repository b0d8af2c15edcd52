// Takes out of an error message what differs from run to run, so that messages with the same cause are equal.

/** What is longer is cut before anything else, which bounds the work. */
const LONGEST = 500
const CUT = '…'

/** A quoted name, such as a property or a step, says what went wrong; anything else in quotes is data. */
const QUOTED = /"[^"]{1,200}"|'[^']{1,200}'|`[^`]{1,200}`/g
const NAME = /^[A-Za-z_$][A-Za-z_$.]{0,39}$/
const ADDRESS = /[^\s@<>()"']{1,64}@[A-Za-z0-9.-]{1,255}/g
const WORD = /[A-Za-z0-9_-]+/g
const DIGITS = /[0-9]+/g
/** A word of at least this length with a digit in it is an id: a UUID, a ULID, hex, a date. */
const SHORTEST_ID = 8

/** `hosts` are names of servers that differ between installations; each of them is cut. */
export function normalMessage(message: string, hosts: readonly string[]): string {
  let text = message.slice(0, LONGEST).toWellFormed()
  for (const host of hosts) text = text.replaceAll(host, CUT)
  return text
    .replaceAll(QUOTED, (quoted) => (NAME.test(quoted.slice(1, -1)) ? quoted : `${quoted[0]}${CUT}${quoted[0]}`))
    .replaceAll(ADDRESS, CUT)
    .replaceAll(WORD, withoutIds)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}

function withoutIds(word: string): string {
  const cut = word.replaceAll(DIGITS, CUT)
  return cut !== word && word.length >= SHORTEST_ID ? CUT : cut
}

/** Returns the hosts of those values that are URLs, the longest first, so that none is cut in the middle. */
export function hostsOf(values: Iterable<string>): string[] {
  const hosts = new Set<string>()
  for (const value of values) {
    const url = URL.parse(value)
    if (!url || url.host === '') continue
    hosts.add(url.host)
    hosts.add(url.hostname)
  }
  return [...hosts].toSorted((a, b) => b.length - a.length)
}
