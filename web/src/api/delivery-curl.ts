// A delivery as the command that sends it again.
import type { HttpRequestSettings } from '../../../src/flow/curl/http-settings.ts'
import { toCurl } from '../../../src/flow/curl/to-curl.ts'
import type { Webhook } from './api-types.ts'

/** What curl sets itself, and what belongs to one connection. */
const LEFT_OUT = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'content-encoding',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
])

export function deliveryCurl({ headers, queryAll, rawBody, metadata }: Webhook, webhookBaseUrl: string): string {
  const { method, path } = metadata as { method: string; path: string }
  return withoutRedirects({
    method,
    url: webhookBaseUrl.replace(/\/$/, '') + path,
    query: Object.entries(queryAll).flatMap(([name, values]) => values.map((value) => ({ name, value }))),
    headers: Object.entries(headers)
      .filter(([name]) => !LEFT_OUT.has(name))
      .map(([name, value]) => ({ name, value })),
    ...(rawBody === '' ? {} : { body: { kind: 'text' as const, value: rawBody } }),
  })
}

/** A first request to a webhook. */
export const helloCurl = (url: string): string =>
  withoutRedirects({ method: 'POST', url, body: { kind: 'json', value: { hello: 'world' } } })

/** A webhook redirects nobody: the option that follows would only puzzle. */
const withoutRedirects = (settings: HttpRequestSettings): string => toCurl(settings).replace(/ \\\n {2}-L$/, '')
