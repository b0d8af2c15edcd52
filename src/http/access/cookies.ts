/** The beginning of the names of Millrace's cookies, after the prefix for HTTPS. */
const OURS = /^(?:__Host-)?millrace_/

/** Removes Millrace's own cookies from a `Cookie` header; undefined: nothing is left. */
export function withoutOwnCookies(header: string): string | undefined {
  const others = header.split(';').filter((pair) => pair.trim() !== '' && !OURS.test(pair.trim()))
  return others.length ? others.join(';').trim() : undefined
}

/** Returns the value of a cookie in a `Cookie` header. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key, value] = pair.split('=', 2)
    if (key!.trim() === name) return value?.trim()
  }
  return undefined
}
