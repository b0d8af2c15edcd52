// Builds the web UI into web/dist, unless what is there was built from the same sources.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const STAMP = join(root, 'web/dist/.built-from')
const LOCK = join(root, 'web/.building')
const LONGEST_BUILD_MS = 120_000
const SOURCES = [
  'web/src',
  'web/public',
  'web/index.html',
  'web/vite.config.ts',
  'web/package.json',
  'src/flow',
  'src/contract',
  'package-lock.json',
]

function* filesOf(path) {
  if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) yield* filesOf(join(path, name))
  else if (!/\.test\.tsx?$/.test(path)) yield path
}

function fingerprint() {
  const hash = createHash('sha256')
  for (const source of SOURCES)
    for (const file of filesOf(join(root, source))) hash.update(file.slice(root.length)).update(readFileSync(file))
  return hash.digest('hex')
}

/** False when the build failed; Vite has said why. */
export function buildUi(node = process.execPath) {
  const current = fingerprint()
  const isCurrent = () => existsSync(STAMP) && readFileSync(STAMP, 'utf8') === current
  if (isCurrent()) return true
  const release = takeLock()
  try {
    return isCurrent() || build(node, current)
  } finally {
    release()
  }
}

/** Two builds at once, of two tests for example, would write into each other. */
function takeLock() {
  const since = Date.now()
  for (;;) {
    try {
      mkdirSync(LOCK)
      return () => rmSync(LOCK, { recursive: true, force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      // Whoever held it that long was killed.
      if (Date.now() - since > LONGEST_BUILD_MS) rmSync(LOCK, { recursive: true, force: true })
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    }
  }
}

function build(node, current) {
  console.log('Millrace: building the web UI (after an update; a few seconds)...')
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const built = spawnSync(node, [vite, 'build', 'web', '--logLevel', 'warn'], {
    cwd: root,
    stdio: 'inherit',
    // Whatever the caller runs under, a test for example: this is what people get.
    env: { ...process.env, NODE_ENV: 'production' },
    shell: process.platform === 'win32',
  })
  if (built.status !== 0) return false
  writeFileSync(STAMP, current)
  return true
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(buildUi() ? 0 : 1)
