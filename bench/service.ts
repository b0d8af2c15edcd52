// Starts Millrace for the benchmarks: a process on 127.0.0.1, with calls of its API.
import { type ChildProcess, spawn } from 'node:child_process'
// Builds dist/ again if the sources have changed.
import '../test/harness/entry.ts'
import { freePort } from '../test/harness/free-port.ts'
import { SERVE } from './load.ts'

const TOKEN = 'benchmark-token-0123456789'
const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
// Ends by way of `exit`, so that nothing is left behind.
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Starts a script of Node; resolves when it says that it is ready. */
export function spawnScript(
  args: string[],
  environment: Record<string, string> = {},
  ready = 'is ready',
): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  return new Promise((resolve, reject) => {
    child.stdout!.on('data', (chunk) => String(chunk).includes(ready) && resolve(child))
    child.on('exit', (code) => {
      children.delete(child)
      reject(new Error(`${args.join(' ')} ended with ${code}`))
    })
  })
}

/** Runs a command to its end; an error has the first line of what it complains of. */
export function run(command: string, args: string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  children.add(child)
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint ||= String(chunk)
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      children.delete(child)
      if (code === 0) resolve()
      else reject(new Error(`${command} ${args[0]} ended with ${code}: ${complaint.split('\n', 1)[0]}`))
    })
  })
}

/** Ends all processes that were started, in their own time. */
export async function endAll(): Promise<void> {
  await Promise.all([...children].map(endOf))
}

export async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

export interface Service {
  pid: number
  port: number
  /** The time from the start of the process until it is ready. */
  readyMs: number
  startedAt: number
  call<T>(method: string, path: string, body?: object): Promise<T>
  /** Creates and publishes a flow; returns its id, and the path of its webhook. */
  publish(document: object): Promise<{ id: string; path: string }>
  /** Sends a delivery that must be accepted; returns the answer. */
  post(path: string, body: object): Promise<{ id: string }>
  /** Returns the values of the metrics that have no labels. */
  metrics(): Promise<Map<string, number>>
  stop(): Promise<void>
}

export async function startService(dataDir: string, environment: Record<string, string> = {}): Promise<Service> {
  const port = await freePort()
  const begun = performance.now()
  const child = await spawnScript(SERVE, {
    MILLRACE_PORT: String(port),
    MILLRACE_DATA_DIR: dataDir,
    MILLRACE_ADMIN_TOKEN: TOKEN,
    MILLRACE_EGRESS_ALLOW: 'loopback',
    ...environment,
  })
  const readyMs = Math.round(performance.now() - begun)
  const base = `http://127.0.0.1:${port}`
  const headers = { authorization: `Bearer ${TOKEN}` }
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
  return {
    pid: child.pid!,
    port,
    readyMs,
    startedAt: begun,
    call,
    post: (path, body) => call('POST', path.slice('/api/v1'.length), body),
    async publish(document) {
      const flow = await call<{ id: string; webhook: { id: string } | null }>('POST', '/flows', document)
      await call('POST', `/flows/${flow.id}/publish`)
      return { id: flow.id, path: `/api/v1/webhooks/${flow.webhook?.id}` }
    },
    async metrics() {
      const text = await (await fetch(`${base}/metrics`, { headers })).text()
      return new Map([...text.matchAll(/^(\w+) ([\d.e+-]+)$/gm)].map(([, name, value]) => [name!, Number(value)]))
    },
    stop: () => endOf(child),
  }
}

/** Waits until no run is in line or under way. */
export async function drained(service: Service): Promise<void> {
  for (;;) {
    const metrics = await service.metrics()
    if (metrics.get('millrace_runs_queued') === 0 && metrics.get('millrace_runs_running') === 0) return
    await sleep(200)
  }
}
