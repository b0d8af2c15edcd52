// Runs the HTTP server of the service: the API, the UI and webhooks.
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../base/package-files.ts'
import { flowSchema } from '../flow/flow-schema.ts'
import { type Listening, listen, openFilesLimit, type Sockets, socketsWithin } from '../http/listen.ts'
import type { Metrics } from '../http/metrics.ts'
import { createServer, type Server } from '../http/server.ts'
import type { Services } from '../operations/services.ts'
import { serversOf } from '../outbound/proxy/proxy-settings.ts'
import { stepKinds } from '../steps/index.ts'
import type { Running } from './build-engine.ts'
import type { Config } from './config.ts'
import { VERSION } from './version.ts'

export interface Serving {
  server: Server
  listening: Listening
  sockets: Sockets
  /** The URL that a program on this machine uses. */
  localUrl: string
}

/** Returns how many sockets the server listens on. Throws if the limit of open files is too low. */
export const socketsFor = (idle: boolean): Sockets =>
  idle ? { count: 1, most: Number.POSITIVE_INFINITY, limitedBy: null } : socketsWithin(openFilesLimit())

export function createAppServer(
  { config, stores, metrics, tracing, log }: Running,
  services: Services,
  idle: boolean,
): Server {
  return createServer({
    services,
    adminToken: config.adminToken,
    metrics,
    tracing: tracing.deliveries,
    fault: stores.backend.fault,
    healthOnly: config.role === 'worker',
    // An idle server, started by the command line, has no host name that a request could carry.
    webhooksApart: !idle && config.webhookBaseUrl !== config.baseUrl,
    trustProxy: config.trustProxy,
    settings: settingsOf(config),
    flowSchema: () => flowSchema(stepKinds),
    uiFolder: fileURLToPath(packageFile('web/dist')),
    onBug: (error, route) => log.error({ err: error, route }, 'a request failed by a fault of Millrace'),
  })
}

/** The first webhooks after a start should not wait for the API. */
const API_AFTER_MS = 1_000

export async function serveHttp(server: Server, { host, port }: Config, sockets: Sockets): Promise<Serving> {
  const listening = await listen(server.http, host, port, sockets)
  setTimeout(() => void server.loadApi(), API_AFTER_MS).unref()
  return { server, listening, sockets, localUrl: localUrlOf(listening.address) }
}

/** Stops new requests, answers those under way while the runs finish, then closes the sockets that remain. */
export async function stopServing(
  { server, listening }: Serving,
  { replies }: Services,
  finishRuns: () => Promise<void>,
): Promise<void> {
  server.streams.endAll()
  const closed = Promise.all([server.close(), listening.close()])
  await finishRuns()
  replies.releaseAll()
  const cutOff = setTimeout(() => server.cutOff(), 1000)
  await closed
  clearTimeout(cutOff)
}

/** Counting stops here: more open failures are as many as anybody needs to know. */
const MOST_COUNTED = 10_000

export function watchServices(metrics: Metrics, { http, stores, config }: Running, services: Services): void {
  const { queue, engine, bodies, now } = services
  metrics.watch({
    queued: () => queue.size,
    oldestQueuedSeconds: () => (queue.oldestSince === null ? 0 : Math.max(0, now() - queue.oldestSince) / 1000),
    running: () => engine.active,
    outbound: () => http.stats().inFlight,
    bodyBytes: () => bodies.held,
    databaseUp: async () => (await stores.backend.fault()) === null,
    openFailures: () => services.failures.countOpen(now(), MOST_COUNTED),
    replayJobs: () => services.replays.countActive(),
    files: () => services.files.facts(),
    async auditMissing() {
      const missing = new Map<string, number>()
      for (const [name, set] of Object.entries(config.audit)) {
        if (set === null) continue
        const behind = await stores.auditDestinations.behind(name)
        missing.set(
          name,
          behind.reduce((sum, chain) => sum + chain.missing, 0),
        )
      }
      return missing
    },
    openCallbacks: () => services.callbacks.countOpen(MOST_COUNTED),
  })
}

const settingsOf = (config: Config) => ({
  version: VERSION,
  baseUrl: config.baseUrl,
  webhookBaseUrl: config.webhookBaseUrl,
  storage: config.databaseUrl === null ? ('sqlite' as const) : ('postgres' as const),
  limits: {
    maxBodyBytes: config.maxBodyBytes,
    webhookRate: config.webhookRate,
    maxQueue: config.maxQueue,
    maxPaused: config.maxPaused,
    concurrency: config.concurrency,
    httpConcurrency: config.httpConcurrency,
    httpPerHost: config.httpPerHost,
    retentionDays: config.retentionDays,
  },
  egressAllow: config.egressAllow,
  proxy: [...new Set(serversOf(config.proxy).map(({ origin }) => origin))],
  env: Object.keys(config.env),
  config: { ...config.variables },
})

/** Returns the loopback URL of a server that listens on every address. */
function localUrlOf({ address, port, family }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (address === '::') return `http://[::1]:${port}`
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
