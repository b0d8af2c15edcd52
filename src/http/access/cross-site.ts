// Refuses requests that a page of another origin makes a browser send with Millrace's cookie.
import type { IncomingHttpHeaders } from 'node:http'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Returns why the request is refused; null: it comes from Millrace's own pages, or not from a browser. */
export function crossSiteFault(
  { method, headers }: { method: string; headers: IncomingHttpHeaders },
  baseUrl: string,
  byCookie: boolean,
): string | null {
  if (SAFE.has(method)) return null
  const { origin } = headers
  const site = headers['sec-fetch-site']
  if (origin !== undefined && origin !== baseUrl)
    return `A page of another origin may not do this: open Millrace at ${baseUrl} (MILLRACE_BASE_URL).`
  if (site !== undefined && site !== 'same-origin') return 'A page of another origin may not do this.'
  if (byCookie && origin === undefined)
    return 'A request with a session cookie needs the header Origin; scripts use an API token instead.'
  return null
}
