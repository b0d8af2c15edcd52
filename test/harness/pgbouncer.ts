// Starts a real PgBouncer in front of a PostgreSQL, if the machine has one: npm has no package of it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { ownerOfServer } from './postgres.ts'

const PROGRAM = ['pgbouncer', '/usr/sbin/pgbouncer'].find((path) => spawnSync(path, ['--version']).status === 0)

/** Why its tests are skipped; null: they run. */
export const NO_PGBOUNCER = PROGRAM ? null : 'this machine has no pgbouncer'

export interface PgBouncer {
  port: number
  /** Returns the URL of the same database through PgBouncer. */
  urlOf(databaseUrl: string): string
  stop(): Promise<void>
}

/** `given`: the port, if this instance replaces another. */
export async function startPgBouncer(
  postgresPort: number,
  mode: 'session' | 'transaction',
  given?: number,
): Promise<PgBouncer> {
  const owner = ownerOfServer()
  const folder = mkdtempSync(join(tmpdir(), 'millrace-pgbouncer-'))
  const port = given ?? (await freePort())
  const users = join(folder, 'users.txt')
  const settings = join(folder, 'pgbouncer.ini')
  writeFileSync(
    settings,
    `[databases]
* = host=127.0.0.1 port=${postgresPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
`,
  )
  writeFileSync(users, '"postgres" ""\n')
  chmodSync(folder, 0o755)
  for (const path of [folder, users, settings]) if (owner) chownSync(path, owner.uid, owner.gid)
  const child: ChildProcess = spawn(PROGRAM!, [settings], { ...owner, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  let log = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr!.on('data', (chunk) => {
      log += chunk
      if (log.includes('process up')) resolve()
    })
    child.on('error', reject)
    child.on('exit', () => reject(new Error(`PgBouncer could not be started: ${log}`)))
  })
  return {
    port,
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl)
      url.port = String(port)
      return url.href
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
