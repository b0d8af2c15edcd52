// Returns the headers in undici's form: names and values in turn, in the order given, then the defaults that were not set.
import type { OutboundHeader } from '../engine/ports/http-client.ts'

/** `hops` is set for calls to webhooks of this service; no other request may state the depth of its chain. */
export function wireHeaders(headers: readonly OutboundHeader[], hopHeader: string, hops: number | null): string[] {
  const flat: string[] = []
  let userAgent = false
  let accept = false
  let acceptEncoding = false
  for (const { name, value } of headers) {
    const lower = name.toLowerCase()
    if (lower === hopHeader) continue
    if (lower === 'user-agent') userAgent = true
    else if (lower === 'accept') accept = true
    else if (lower === 'accept-encoding') acceptEncoding = true
    flat.push(name, value)
  }
  if (!userAgent) flat.push('User-Agent', 'Millrace')
  if (!accept) flat.push('Accept', '*/*')
  if (!acceptEncoding) flat.push('Accept-Encoding', 'gzip, deflate, br, zstd')
  if (hops !== null) flat.push(hopHeader, String(hops))
  return flat
}
