// Says in a few words which browser a session is in, by its User-Agent: "Firefox on Windows". It is a hint, and anyone can send
// anything, so only these words ever come out of it.

/** Nobody's browser has a longer one. */
const LONGEST = 512

/** The first that is found counts: most name others too. */
const BROWSERS: readonly [mark: string, name: string][] = [
  ['Edg/', 'Edge'],
  ['EdgA/', 'Edge'],
  ['EdgiOS/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Vivaldi/', 'Vivaldi'],
  ['FxiOS/', 'Firefox'],
  ['Firefox/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['HeadlessChrome/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
]

const SYSTEMS: readonly [mark: string, name: string][] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
]

/** Returns null if nothing in it is known. */
export function deviceWords(userAgent: string | null): string | null {
  const text = (userAgent ?? '').slice(0, LONGEST)
  const nameIn = (names: readonly [string, string][]) => names.find(([mark]) => text.includes(mark))?.[1]
  const browser = nameIn(BROWSERS)
  const system = nameIn(SYSTEMS)
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? null
}
