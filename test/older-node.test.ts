// Tests the installed command under the oldest Node that the quick start allows: it continues with the Node from npm.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { buildUi } from '../scripts/build.mjs'
import { ENTRY } from './harness/entry.ts'
import { childEnvironment } from './harness/environment.ts'
import { freePort } from './harness/free-port.ts'
import { temporaryFolder } from './harness/millrace.ts'

const root = resolve(import.meta.dirname, '..')
const pinned = `node-${process.platform}-${process.arch}`

/** The machine's Node from 20 on that is older than Millrace needs; null: there is none to test with. */
const older = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((program) => {
    const major = existsSync(program) && Number(/^v(\d+)/.exec(String(spawnSync(program, ['--version']).stdout))?.[1])
    return major && major >= 20 && major < 24
  })
const canBeTried = older !== undefined && existsSync(join(root, 'node_modules', pinned))

describe.skipIf(!canBeTried)('under an older Node (skipped where the machine has none)', { timeout: 60_000 }, () => {
  const base = temporaryFolder()
  const modules = join(base, 'node_modules')
  const environment = childEnvironment({ PATH: `${dirname(older ?? '')}:/usr/bin:/bin`, NO_COLOR: '1' })
  const command = join(modules, '.bin/millrace')

  /** Lays out what npm installs: the package, its dependencies beside it, and a link to the command. */
  beforeAll(() => {
    expect(buildUi()).toBe(true)
    mkdirSync(join(modules, 'millrace'), { recursive: true })
    mkdirSync(join(modules, '.bin'))
    cpSync(dirname(ENTRY), join(modules, 'millrace/dist'), { recursive: true })
    for (const path of ['package.json', 'web/dist', 'src/sandbox/guest', 'examples', 'docs'])
      cpSync(join(root, path), join(modules, 'millrace', path), { recursive: true })
    for (const name of ['@jitl', 'pino', pinned]) symlinkSync(join(root, 'node_modules', name), join(modules, name))
    symlinkSync('../millrace/dist/millrace.js', command)
    chmodSync(command, 0o755)
  })
  afterAll(() => rmSync(base, { recursive: true, force: true }))

  it('the command serves, and stops when it is told to', async () => {
    const port = String(await freePort())
    const server = spawn(command, ['serve'], {
      cwd: base,
      env: { ...environment, MILLRACE_PORT: port },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void server.kill('SIGKILL'))
    let output = ''
    const exited = new Promise((done) => server.on('exit', (code, signal) => done(code ?? signal)))
    await new Promise<void>((ready) => {
      for (const stream of [server.stdout, server.stderr])
        stream.on('data', (chunk) => {
          output += String(chunk)
          if (output.includes('is ready')) ready()
        })
      void exited.then(() => ready())
    })
    expect(output).toContain('is ready')
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
    server.kill('SIGTERM')
    expect(await exited).toBe(0)
    expect(output).toContain('Millrace has stopped')
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
  })

  it('arguments go in, exit codes and output come out', () => {
    const unknown = spawnSync(command, ['no-such', 'command'], { env: environment, encoding: 'utf8' })
    expect(unknown.stderr).toContain('There is no command "no-such"')
    expect(unknown.status).toBe(2)
    const help = spawnSync(command, ['help'], { env: environment, encoding: 'utf8' })
    expect(help.stdout).toContain('Usage: millrace')
    expect(help.status).toBe(0)
  })

  it('without the one that npm brings it says what is needed, and names nothing that is not there', () => {
    rmSync(join(modules, pinned))
    const { status, stderr } = spawnSync(command, ['serve'], { env: environment, encoding: 'utf8' })
    expect(stderr).toMatch(/^Millrace needs Node 24 or newer; this is v2\d\.[^\n]*\n$/)
    expect(stderr).not.toContain('npm start')
    expect(status).toBe(1)
  })
})
