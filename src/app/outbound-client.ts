// Creates the HTTP client of the flows, with the limits of the configuration.
import { HOP_HEADER } from '../operations/deliveries/delivery-head.ts'
import { createHttpClient, type HttpClientOptions, type OutboundClient } from '../outbound/http-client.ts'
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
