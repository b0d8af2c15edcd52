// Creates the HTTP client of the flows, with the limits of the configuration.
import { HOP_HEADER } from '../operations/deliveries/delivery-head.ts'
import { createHttpClient, type HttpClientOptions, type OutboundClient } from '../outbound/http-client.ts'
import { proxyFault } from '../outbound/proxy/proxy-fault.ts'
import { type ProxySettings, serversOf } from '../outbound/proxy/proxy-settings.ts'
import { databaseEndpoint } from '../storage/postgres/database.ts'
import type { Config } from './config.ts'

export const createOutboundClient = (
  config: Config,
  meter?: HttpClientOptions['meter'],
  maxBodyBytes?: number,
): OutboundClient =>
  createHttpClient({
    meter,
    maxBodyBytes,
    allow: config.egressAllow,
    proxies: config.proxy,
    own: {
      origin: config.baseUrl,
      webhookOrigin: config.webhookBaseUrl,
      webhookPrefix: '/api/v1/webhooks/',
      hopHeader: HOP_HEADER,
      endpoints: ownEndpoints(config),
    },
    concurrency: config.httpConcurrency,
    perHost: config.httpPerHost,
  })

function ownEndpoints({ host, port, databaseUrl }: Config): { host: string; port: number }[] {
  const database = databaseUrl === null ? null : databaseEndpoint(databaseUrl)
  return [{ host, port }, ...(database ? [database] : [])]
}

/** Says of each proxy whether it can be reached. */
export function checkProxies(
  settings: ProxySettings,
  withinMs: number,
): Promise<{ origin: string; fault: string | null }[]> {
  const different = new Map(serversOf(settings).map((server) => [server.origin, server]))
  return Promise.all(
    [...different.values()].map(async (server) => ({
      origin: server.origin,
      fault: await proxyFault(server, withinMs),
    })),
  )
}

/** Returns the host and port of a URL, as MILLRACE_EGRESS_ALLOW names them. */
export function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url)
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}

/** Sends one request as a flow would. Rejects with the client's OutboundError. */
export async function probe(config: Config, url: string, timeoutMs: number): Promise<{ status: number }> {
  const client = createOutboundClient(config)
  const request = {
    method: 'GET',
    url,
    headers: [],
    body: null,
    timeoutMs,
    followRedirects: true,
    hops: 0,
    signal: null,
  }
  try {
    return await client.send(request)
  } finally {
    await client.close()
  }
}
