// What stands in the URL of a command and is not sent with it: patterns, which curl expands, and credentials.

/** With signs that mean nothing in place of templates, so that places are the same. */
function masked(text: string): string {
  let [result, from] = ['', 0]
  for (;;) {
    const open = text.indexOf('{{', from)
    const close = open === -1 ? -1 : text.indexOf('}}', open + 2)
    if (close === -1) return result + text.slice(from)
    result += text.slice(from, open) + '_'.repeat(close + 2 - open)
    from = close + 2
  }
}

/** `{a,b}`, `[1-3]`, `[a-z:2]`; behind a backslash they stand for themselves. */
const PATTERN = /(?<!\\)(?:\{([^{}\\]*)\}|\[(?:(\d+)-\d+|([a-z])-[a-z]|([A-Z])-[A-Z])(?::\d+)?\])/g

/** Signs that curl would take for patterns, or for broken ones. */
export const hasPatterns = (url: string): boolean => /[[\]{}]/.test(masked(url))

/** Each pattern replaced by its first value, and the patterns. */
export function firstOfPatterns(url: string): { url: string; patterns: string[] } {
  const patterns: string[] = []
  let [result, from] = ['', 0]
  for (const match of masked(url).matchAll(PATTERN)) {
    const [pattern, list, ...bounds] = match
    const first = list?.split(',', 1)[0] ?? bounds.find((bound) => bound !== undefined)!
    // The first value begins behind the bracket. A list may have templates in it, which are as long as what masks them.
    const at = match.index + 1
    result += url.slice(from, match.index) + url.slice(at, at + first.length)
    from = match.index + pattern.length
    patterns.push(url.slice(match.index, from))
  }
  return { url: (result + url.slice(from)).replaceAll(/\\([{}[\]])/g, '$1'), patterns }
}

/** Braces that mean nothing cannot stand in a URL. */
export function escapedBraces(url: string): string {
  const shown = masked(url)
  return url.replaceAll(/[{}]/g, (brace, at: number) => (shown[at] === '_' ? brace : encodeURIComponent(brace)))
}

/** Takes the text before the last @ ahead of the path, as curl does. */
export function credentialsApart(url: string): { url: string; credentials: string | null } {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0]
  if (scheme === undefined) return { url, credentials: null }
  const rest = url.slice(scheme.length)
  const [authority] = masked(rest).split(/[/?#]/, 1)
  const at = authority!.lastIndexOf('@')
  if (at === -1) return { url, credentials: null }
  return { url: scheme + rest.slice(at + 1), credentials: rest.slice(0, at) }
}

/** Where the URL names no file, curl adds the name of what it uploads. */
export function withFileName(url: string, file: string): string {
  const name = file.split(/[\\/]/).at(-1)!
  if (name === '' || name === '-' || name === '.') return url
  const [, base, path] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)((?:\/[^?#]*)?)$/i.exec(masked(url)) ?? []
  if (base === undefined || (path !== '' && !path!.endsWith('/'))) return url
  return `${url}${path === '' ? '/' : ''}${encodeURIComponent(name.toWellFormed())}`
}
