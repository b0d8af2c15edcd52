// Returns the headers in undici's form: names and values in turn, in the order given, then the defaults that were not set.
import type { OutboundHeader } from '../engine/ports/http-client.ts'
import type { ProxyServer } from './proxy/proxy-settings.ts'

/**
 * `hops` is set for calls to webhooks of this service; no other request may state the depth of its chain. `proxy` is set if
 * one reads the headers: it knows us by its setting, and not by what a flow writes.
 */
export function wireHeaders(
  headers: readonly OutboundHeader[],
  hopHeader: string,
  hops: number | null,
  proxy: ProxyServer | null,
): string[] {
  const flat: string[] = []
  let userAgent = false
  let accept = false
  let acceptEncoding = false
  for (const { name, value } of headers) {
    const lower = name.toLowerCase()
    if (lower === hopHeader || (proxy && lower === 'proxy-authorization')) continue
    if (lower === 'user-agent') userAgent = true
    else if (lower === 'accept') accept = true
    else if (lower === 'accept-encoding') acceptEncoding = true
    flat.push(name, value)
  }
  if (!userAgent) flat.push('User-Agent', 'Millrace')
  if (!accept) flat.push('Accept', '*/*')
  if (!acceptEncoding) flat.push('Accept-Encoding', 'gzip, deflate, br, zstd')
  if (hops !== null) flat.push(hopHeader, String(hops))
  if (proxy?.authorization) flat.push('Proxy-Authorization', proxy.authorization)
  return flat
}
