import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const script = join(folder, 'script.mjs')
const settings = pathToFileURL(join(import.meta.dirname, 'process-settings.ts')).href
writeFileSync(
  script,
  `import { getHeapStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { takeProcessSettings } from '${settings}'
takeProcessSettings()
const code = 'require("node:worker_threads").parentPort.postMessage(require("node:v8").getHeapStatistics().heap_size_limit)'
const limit = (young) => new Promise((resolve) =>
  new Worker(code, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: young } }).once('message', resolve))
const { pid, execArgv, argv, env } = process
console.log(JSON.stringify({ pid, execArgv, args: argv.slice(2), env, grew: await limit(24) - await limit(6) }))`,
)

interface Started {
  pid: number
  execArgv: string[]
  args: string[]
  env: Record<string, string>
  grew: number
  spawned: number
}

async function start(flags: string[], env: Record<string, string> = {}): Promise<Started> {
  const child = spawn(process.execPath, [...flags, script, 'serve', 'a b'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of child.stdout) output += chunk
  return { ...JSON.parse(output), spawned: child.pid! }
}

const FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=50', '--no-allocation-site-pretenuring']

test('a start without settings goes on with them in the same process, with its arguments and environment', async () => {
  const started = await start([], { MILLRACE_PORT: '1' })
  expect(started.pid).toBe(started.spawned)
  expect(started.execArgv).toEqual(FLAGS)
  expect(started.args).toEqual(['serve', 'a b'])
  expect(started.env).toMatchObject({
    MILLRACE_PORT: '1',
    MALLOC_TRIM_THRESHOLD_: '131072',
    MALLOC_MMAP_THRESHOLD_: '131072',
  })
})

test('what the operator sets stays', async () => {
  const started = await start(['--max-semi-space-size=32', '--stack-trace-limit=5'], {
    MALLOC_TRIM_THRESHOLD_: '1000000',
  })
  expect(started.execArgv).toEqual([...FLAGS.slice(1), '--max-semi-space-size=32', '--stack-trace-limit=5'])
  expect(started.env).toMatchObject({ MALLOC_TRIM_THRESHOLD_: '1000000', MALLOC_MMAP_THRESHOLD_: '131072' })
})

test('what NODE_OPTIONS has is not set again, since a flag would outrank it', async () => {
  const started = await start([], { NODE_OPTIONS: '--no-warnings --max-semi-space-size=32' })
  expect(started.execArgv).toEqual(FLAGS.slice(1))
})

test('threads have the room that they are given, which the flag would take from them', async () => {
  expect((await start([])).grew).toBeGreaterThan(10 << 20)
})
