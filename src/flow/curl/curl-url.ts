// Finds what the URL of a command contains but curl does not send: patterns, which it expands, and credentials.

/** Replaces templates by signs without a meaning, so that positions stay the same. */
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

/** Matches `{a,b}`, `[1-3]`, `[a-z:2]`; after a backslash a bracket is a plain character. */
const PATTERN = /(?<!\\)(?:\{([^{}\\]*)\}|\[(?:(\d+)-\d+|([a-z])-[a-z]|([A-Z])-[A-Z])(?::\d+)?\])/g

/** Returns whether curl would read signs of the URL as patterns, or as broken ones. */
export const hasPatterns = (url: string): boolean => /[[\]{}]/.test(masked(url))

/** Returns the URL with each pattern replaced by its first value, and the patterns. */
export function firstOfPatterns(url: string): { url: string; patterns: string[] } {
  const patterns: string[] = []
  let [result, from] = ['', 0]
  for (const match of masked(url).matchAll(PATTERN)) {
    const [pattern, list, ...bounds] = match
    const first = list?.split(',', 1)[0] ?? bounds.find((bound) => bound !== undefined)!
    // The first value begins after the bracket. A list may contain templates, which are as long as their masks.
    const at = match.index + 1
    result += url.slice(from, match.index) + url.slice(at, at + first.length)
    from = match.index + pattern.length
    patterns.push(url.slice(match.index, from))
  }
  return { url: (result + url.slice(from)).replaceAll(/\\([{}[\]])/g, '$1'), patterns }
}

/** Escapes braces without a meaning, which a URL cannot contain. */
export function escapedBraces(url: string): string {
  const shown = masked(url)
  return url.replaceAll(/[{}]/g, (brace, at: number) => (shown[at] === '_' ? brace : encodeURIComponent(brace)))
}

/** Separates the text before the last @ ahead of the path, as curl does. */
export function credentialsApart(url: string): { url: string; credentials: string | null } {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0]
  if (scheme === undefined) return { url, credentials: null }
  const rest = url.slice(scheme.length)
  const [authority] = masked(rest).split(/[/?#]/, 1)
  const at = authority!.lastIndexOf('@')
  if (at === -1) return { url, credentials: null }
  return { url: scheme + rest.slice(at + 1), credentials: rest.slice(0, at) }
}

/** Appends the name of the uploaded file if the URL names none, as curl does. */
export function withFileName(url: string, file: string): string {
  const name = file.split(/[\\/]/).at(-1)!
  if (name === '' || name === '-' || name === '.') return url
  const [, base, path] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)((?:\/[^?#]*)?)$/i.exec(masked(url)) ?? []
  if (base === undefined || (path !== '' && !path!.endsWith('/'))) return url
  return `${url}${path === '' ? '/' : ''}${encodeURIComponent(name.toWellFormed())}`
}
