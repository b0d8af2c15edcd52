// Requests that a page of another origin makes a browser send, with the cookie that it has for us.
import type { IncomingHttpHeaders } from 'node:http'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Why the request is refused; null: it comes from our own pages, or from no browser. */
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
