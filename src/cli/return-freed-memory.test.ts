import { fork, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const SETTINGS = 'glibc.malloc.trim_threshold=65536:glibc.malloc.tcache_count=0'
const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const script = join(folder, 'script.mjs')
writeFileSync(
  script,
  `import { returnFreedMemory } from '${pathToFileURL(join(import.meta.dirname, 'return-freed-memory.ts')).href}'
returnFreedMemory()
const { pid, argv, execArgv, env } = process
console.log(JSON.stringify({ pid, args: argv.slice(2), execArgv, tunables: env.GLIBC_TUNABLES ?? null, other: env.OTHER }))`,
)

const { MALLOC_TRIM_THRESHOLD_: _, GLIBC_TUNABLES: __, ...environment } = process.env

/** Returns what the script says of its process, and the process id that its starter knows. */
async function said(settings: NodeJS.ProcessEnv, start: 'fork' | 'spawn' = 'spawn'): Promise<Record<string, unknown>> {
  const env = { ...environment, OTHER: 'a b', ...settings }
  const child =
    start === 'fork'
      ? fork(script, ['serve'], { env, silent: true })
      : spawn(process.execPath, ['--max-semi-space-size=8', script, 'serve'], { env })
  return { ...JSON.parse(await text(child.stdout!)), startedAs: child.pid }
}

describe.runIf(process.platform === 'linux')('the setting of the C library', () => {
  it('is there after the process has replaced itself, with all that it was started with', async () => {
    const { pid, startedAs, ...rest } = await said({})
    expect(pid).toBe(startedAs)
    expect(rest).toEqual({ args: ['serve'], execArgv: ['--max-semi-space-size=8'], tunables: SETTINGS, other: 'a b' })
  })

  it('stays as the launcher has chosen it', async () => {
    const chosen = 'glibc.malloc.trim_threshold=1000000'
    expect(await said({ GLIBC_TUNABLES: chosen })).toMatchObject({ tunables: chosen })
    expect(await said({ MALLOC_TRIM_THRESHOLD_: '1000000' })).toMatchObject({ tunables: null })
  })

  it('does not cut a process off from the one that has forked it', async () => {
    expect(await said({}, 'fork')).toMatchObject({ tunables: null })
  })
})

it.each([
  ['Dockerfile', '\nENV GLIBC_TUNABLES=%s\n'],
  ['deploy/millrace.service', '\nEnvironment=GLIBC_TUNABLES=%s\n'],
])('%s sets it from the start', (file, setting) => {
  expect(readFileSync(join(root, file), 'utf8')).toContain(setting.replace('%s', SETTINGS))
})
