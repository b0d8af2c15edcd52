// Starts a Millrace to test: in this process, or in a separate one that can be killed; with a small client.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readConfig } from '../../src/app/config.ts'
import { startApp } from '../../src/app/start.ts'
import { DATABASE_FILE } from '../../src/base/data-folder.ts'
import type { FlowView } from '../../src/operations/flows/flow-view.ts'
import type { RunView as AnyRunView } from '../../src/operations/runs/read-runs.ts'
import { createPasswords } from '../../src/secrets/passwords.ts'
import { openSqlite } from '../../src/storage/sqlite/database.ts'
import { ENTRY } from './entry.ts'
import { childEnvironment } from './environment.ts'
import { freePort } from './free-port.ts'
import { type Databases, startDatabases } from './postgres.ts'

export const TOKEN = 'test-admin-token-0123456789'

/** The key of processes that share a database. */
export const TEST_KEY = Buffer.alloc(32, 7).toString('base64')

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'millrace-test-'))

export interface Millrace extends Client {
  port: number
  dataDir: string
  /** Returns everything that was logged, as JSON lines. */
  log(): string
  stop(): Promise<void>
}

let databases: Promise<Databases> | null = null

/** With TEST_STORAGE=postgres, every Millrace that a test starts in its own process uses a PostgreSQL database. */
async function chosenStorage(environment: Record<string, string>): Promise<Record<string, string>> {
  if (process.env['TEST_STORAGE'] !== 'postgres' || environment['MILLRACE_DATA_DIR']) return {}
  databases ??= startDatabases()
  return { DATABASE_URL: await (await databases).create(), MILLRACE_SECRET_KEY: TEST_KEY, ...environment }
}

let emptyDatabase: Promise<Buffer> | null = null

/** Returns a new folder with a database that has its tables already: making them is a third of the work of a start. */
async function folderWithDatabase(): Promise<string> {
  emptyDatabase ??= makeDatabase()
  const folder = temporaryFolder()
  writeFileSync(join(folder, DATABASE_FILE), await emptyDatabase, { mode: 0o600 })
  return folder
}

async function makeDatabase(): Promise<Buffer> {
  const folder = temporaryFolder()
  await (await openSqlite(folder)).close()
  const file = readFileSync(join(folder, DATABASE_FILE))
  rmSync(folder, { recursive: true })
  return file
}

/** A real hash takes a quarter of a second of a processor, and the tests make hundreds; a process has the real cost. */
const passwords = createPasswords({ N: 1024, r: 8, p: 1 })

/** A process has a thousand, which take a while to open and to close. */
const FEW_SOCKETS = { count: 8, most: Number.POSITIVE_INFINITY, limitedBy: null }

/** Starts Millrace in this process on a new folder, or a new database. */
export async function startMillrace(given: Record<string, string> = {}): Promise<Millrace> {
  const environment = { ...given, ...(await chosenStorage(given)) }
  const dataDir = environment['MILLRACE_DATA_DIR'] ?? (await folderWithDatabase())
  const port = Number(environment['MILLRACE_PORT'] ?? (await freePort()))
  const lines: string[] = []
  const config = readConfig(settings({ MILLRACE_LOG_LEVEL: 'trace', ...environment }, dataDir, port))
  const app = await startApp(config, { write: (line) => void lines.push(line) }, { passwords, sockets: FEW_SOCKETS })
  return {
    ...createClient(`http://127.0.0.1:${port}`),
    port,
    dataDir,
    log: () => lines.join(''),
    async stop() {
      await app.stop()
      // The client is in this process, and learns in its next turn that its sockets are closed: another start may use the same port.
      await nextTurn()
      await nextTurn()
      if (!environment['MILLRACE_DATA_DIR']) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function settings(environment: Record<string, string>, dataDir: string, port: number): Record<string, string> {
  return {
    MILLRACE_EGRESS_ALLOW: 'loopback',
    MILLRACE_ADMIN_TOKEN: TOKEN,
    ...environment,
    MILLRACE_DATA_DIR: dataDir,
    MILLRACE_PORT: String(port),
  }
}

/** Most tests look at runs that a delivery started. */
type RunView = AnyRunView & { webhook: NonNullable<AnyRunView['webhook']> }

export interface MillraceProcess extends Client {
  child: ChildProcess
  port: number
  output(): string
  /** Resolves with the exit code, or the signal's name. */
  exited: Promise<number | string>
}

/** Starts Millrace as a process; resolves when it answers. */
export async function spawnMillrace(
  dataDir: string,
  port: number,
  environment: Record<string, string> = {},
): Promise<MillraceProcess> {
  // A limit on the size of files stands for a full disk: writing past it fails.
  const limits = [
    environment['TEST_FILE_BLOCKS'] && `ulimit -f ${environment['TEST_FILE_BLOCKS']}; `,
    environment['TEST_OPEN_FILES'] && `ulimit -n ${environment['TEST_OPEN_FILES']}; `,
  ]
  const child = spawn('sh', ['-c', `${limits.filter(Boolean).join('')}exec "$0" "$1" serve`, process.execPath, ENTRY], {
    env: childEnvironment(settings(environment, dataDir, port)),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const exited = new Promise<number | string>((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal!)))
  const ready = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('is ready')) resolve()
    }
    child.stdout!.on('data', read)
    child.stderr!.on('data', read)
    child.on('exit', () => reject(new Error(`Millrace ended before it was ready: ${output}`)))
  })
  await ready
  return { ...createClient(`http://127.0.0.1:${port}`), child, port, output: () => output, exited }
}

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  body: any
}

export interface Client {
  url: string
  /** Calls the management API with the admin token. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Creates and publishes a flow. */
  publish(document: object): Promise<PublishedFlow>
  run(id: string): Promise<RunView>
  /** Resolves when the run has reached one of these states. */
  runEnded(id: string, states?: string[]): Promise<RunView>
}

export interface PublishedFlow {
  /** A flow with another trigger has no webhook: the tests of such flows do not look at it. */
  flow: FlowView & { webhook: NonNullable<FlowView['webhook']> }
  /** Posts to the webhook. */
  post(body: unknown, headers?: Record<string, string>, query?: string): Promise<Answer>
}

export function createClient(url: string): Client {
  const api: Client['api'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    })
    return answerOf(response)
  }
  const run = async (id: string): Promise<RunView> => (await api('GET', `/runs/${id}`)).body
  return {
    url,
    api,
    run,
    async publish(document) {
      const created = await api('POST', '/flows', document)
      if (created.status !== 201) throw new Error(`create: ${JSON.stringify(created.body)}`)
      const flow = created.body as PublishedFlow['flow']
      const published = await api('POST', `/flows/${flow.id}/publish`)
      if (published.status !== 200) throw new Error(`publish: ${JSON.stringify(published.body)}`)
      const target = `${url}/api/v1/webhooks/${flow.webhook?.id}`
      return {
        flow,
        post: async (body, headers = {}, query = '') =>
          answerOf(
            await fetch(target + query, {
              method: 'POST',
              headers: { 'content-type': 'application/json', ...headers },
              body: typeof body === 'string' ? body : JSON.stringify(body),
            }),
          ),
      }
    },
    async runEnded(id, states = ['succeeded', 'failed', 'cancelled']) {
      const response = await fetch(`${url}/api/v1/runs/${id}/events`, { headers: { authorization: `Bearer ${TOKEN}` } })
      let text = ''
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk
        const events = text.split('\n\n')
        text = events.pop()!
        for (const event of events) {
          const match = /^event: run\ndata: (.*)$/s.exec(event)
          if (match && states.includes(JSON.parse(match[1]!).status)) return run(id)
        }
      }
      throw new Error(`the events of run ${id} ended early`)
    },
  }
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = /\bjson/.test(response.headers.get('content-type') ?? '') && text !== ''
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}
