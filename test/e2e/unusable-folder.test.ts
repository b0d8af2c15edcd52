// Tests a data folder that cannot be used: every command that opens it says so in one line, and changes nothing.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callCli } from '../harness/cli.ts'
import { ENTRY } from '../harness/entry.ts'
import { childEnvironment } from '../harness/environment.ts'
import { startMillrace, temporaryFolder } from '../harness/millrace.ts'

const base = temporaryFolder()
const good = join(base, 'good')
const backup = join(base, 'backup.db')

beforeAll(async () => {
  await (await startMillrace({ MILLRACE_DATA_DIR: good })).stop()
  expect((await callCli(['backup', backup, '--data-dir', good])).exit).toBe(0)
})
afterAll(() => {
  for (const path of modesChanged) chmodSync(path, 0o700)
  rmSync(base, { recursive: true, force: true })
})

/** File modes bind root only without this capability, which not every container can give up. */
const WITH_MODES = ['setpriv', '--bounding-set=-dac_override,-dac_read_search']
const isRoot = process.getuid?.() === 0
const modesHold = !isRoot || spawnSync(WITH_MODES[0]!, [...WITH_MODES.slice(1), 'true']).status === 0

function millrace(args: string[], dataDir: string, underModes = false, environment = {}) {
  const command = [...(isRoot && underModes ? WITH_MODES : []), process.execPath, ENTRY, ...args]
  const { status, stdout, stderr } = spawnSync(command[0]!, command.slice(1), {
    env: childEnvironment({ MILLRACE_DATA_DIR: dataDir, NO_COLOR: '1', ...environment }),
    encoding: 'utf8',
    input: '',
    // Ends a command that began to serve or never ends.
    timeout: 20_000,
    killSignal: 'SIGKILL',
  })
  return { status, lines: `${stdout}${stderr}`.trimEnd().split('\n') }
}

let count = 0
function copyOfGood(): string {
  const made = join(base, `copy-${++count}`)
  cpSync(good, made, { recursive: true })
  return made
}
const modesChanged: string[] = []
function withMode(path: string, mode: number): void {
  modesChanged.push(path)
  chmodSync(path, mode)
}
/** Creates a data folder with a folder in the place of one of its files. */
function withFolderAs(name: string): string {
  const made = copyOfGood()
  rmSync(join(made, name), { force: true })
  mkdirSync(join(made, name))
  return made
}
function aFile(): string {
  const made = join(base, `file-${++count}`)
  writeFileSync(made, '')
  return made
}

interface Situation {
  dataDir: string
  says: RegExp
}

const FOR_EVERYBODY: Record<string, () => Situation> = {
  'a file in its place': () => ({ dataDir: aFile(), says: /file-\d+ is not a folder/ }),
  'a file in the place of its parent': () => ({
    dataDir: join(aFile(), 'data'),
    says: /made, since .* is not a folder/,
  }),
  'a file system that makes no folders': () => ({
    dataDir: '/proc/millrace',
    says: /mkdir '\/proc\/millrace'|cannot be made/,
  }),
  'a folder as the database': () => ({ dataDir: withFolderAs('millrace.db'), says: /millrace\.db is not a file/ }),
  'a folder as the lock': () => ({ dataDir: withFolderAs('millrace.lock'), says: /millrace\.lock is not a file/ }),
  'a folder as the address': () => ({
    dataDir: withFolderAs('millrace.address'),
    says: /millrace\.address is not a file/,
  }),
  'a folder as the key': () => ({
    dataDir: withFolderAs('secret.key'),
    says: /The key in .*secret\.key cannot be read/,
  }),
}

const changed = (name: string, mode: number, says: RegExp) => (): Situation => {
  const dataDir = copyOfGood()
  withMode(join(dataDir, name), mode)
  return { dataDir, says }
}
const BY_MODES: Record<string, () => Situation> = {
  'a folder that may not be written': changed('', 0o500, /copy-\d+ cannot be read and written by this user/),
  'a folder that may not be entered': changed('', 0o000, /copy-\d+ cannot be read and written by this user/),
  'a parent in which nothing may be made': () => {
    const parent = join(base, `parent-${++count}`)
    mkdirSync(parent)
    withMode(parent, 0o500)
    return { dataDir: join(parent, 'data'), says: /made, since .*parent-\d+ cannot be/ }
  },
  'a database that may not be written': changed('millrace.db', 0o400, /millrace\.db cannot be read and written/),
  'a lock that may not be written': changed('millrace.lock', 0o400, /millrace\.lock cannot be read and written/),
  'a key that may not be read': changed('secret.key', 0o000, /The key in .*secret\.key cannot be read: EACCES/),
}

describe('millrace serve ends with one line', { timeout: 60_000 }, () => {
  const check = (situation: () => Situation, underModes: boolean) => () => {
    const { dataDir, says } = situation()
    const { status, lines } = millrace(['serve'], dataDir, underModes)
    expect(lines).toEqual([expect.stringMatching(/^Millrace cannot start: .*MILLRACE_\w+/)])
    expect(lines[0]).toMatch(says)
    expect(status).toBe(1)
  }
  for (const [name, situation] of Object.entries(FOR_EVERYBODY)) it(`on ${name}`, check(situation, false))
  for (const [name, situation] of Object.entries(BY_MODES))
    it.skipIf(!modesHold)(`on ${name}; skipped where modes do not hold this user`, check(situation, true))
})

describe('every command that opens the data folder ends with a clear line', { timeout: 60_000 }, () => {
  const COMMANDS: Record<string, string[]> = {
    'flows list': ['flows', 'list'],
    'keys rotate': ['keys', 'rotate'],
    backup: ['backup', join(base, 'made.db')],
    migrate: ['migrate'],
    'users reset-password': ['users', 'reset-password', 'ada@example.com'],
    transfer: ['transfer'],
  }
  const postgres = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }

  for (const [name, args] of Object.entries(COMMANDS))
    it(`millrace ${name}`, () => {
      const { status, lines } = millrace(
        [...args, '--data-dir', withFolderAs('millrace.lock')],
        base,
        false,
        name === 'transfer' ? postgres : {},
      )
      expect(lines[0]).toMatch(/^error: .*millrace\.lock is not a file/)
      expect(lines.slice(1).filter((line) => /^\s+at /.test(line))).toEqual([])
      expect(status).toBe(1)
    })

  it('millrace restore, which makes the folder', () => {
    const { status, lines } = millrace(['restore', backup, '--data-dir', aFile()], base)
    expect(lines).toEqual([expect.stringMatching(/^error: .* cannot be the data folder: .* is not a folder\.$/)])
    expect(status).toBe(1)
  })

  it.skipIf(!modesHold)('also where the folder hides what it holds; skipped where modes do not hold this user', () => {
    const dataDir = copyOfGood()
    withMode(dataDir, 0o000)
    for (const args of Object.values(COMMANDS)) {
      const { lines } = millrace([...args, '--data-dir', dataDir], base, true, args[0] === 'transfer' ? postgres : {})
      expect(lines[0]).toMatch(/^error: .*copy-\d+ cannot be read and written by this user/)
    }
  })

  it('millrace doctor, among its other checks', () => {
    for (const situation of Object.values(FOR_EVERYBODY)) {
      const { dataDir, says } = situation()
      const { status, lines } = millrace(['doctor', '--data-dir', dataDir], base)
      expect(lines.filter((line) => line.startsWith('failed')).join('\n')).toMatch(
        dataDir.startsWith('/proc') && isRoot ? /no database/ : says,
      )
      expect(lines.filter((line) => /^\s+at /.test(line))).toEqual([])
      expect(status).toBe(1)
    }
  })
})
