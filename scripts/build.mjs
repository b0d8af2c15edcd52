// Builds the web UI into web/dist and the service into dist, and lists the packages in both. A build is skipped if its
// output was built from the same sources.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MODULE_LIST } from './module-list.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const LOCK = join(root, '.building')
const LONGEST_BUILD_MS = 120_000

const UI = {
  title: 'the web UI',
  folder: 'web/dist',
  sources: [
    'web/src',
    'web/public',
    'web/index.html',
    'web/vite.config.ts',
    'web/guide-plugin.ts',
    'scripts/guide-site.ts',
    'docs',
    'examples',
    'CHANGELOG.md',
    'web/package.json',
    'src/flow',
    'src/contract',
    'scripts/module-list.mjs',
    'package-lock.json',
  ],
  command: ['node_modules/vite/bin/vite.js', 'build', 'web', '--logLevel', 'warn'],
}

/** Bundles a thousand small files: the service starts in a quarter of the time. */
const SERVICE = {
  title: 'the service',
  folder: 'dist',
  sources: ['src', 'scripts/bundle.mjs', 'scripts/module-list.mjs', 'package-lock.json'],
  command: ['scripts/bundle.mjs'],
}

/** Lists the third-party code in both bundles, so they have to be built first. */
const INVENTORY = {
  title: 'the list of what is inside',
  folder: 'dist',
  stamp: '.listed-from',
  sources: [
    `dist/${MODULE_LIST}`,
    `web/dist/${MODULE_LIST}`,
    'scripts/inventory.mjs',
    'package.json',
    'package-lock.json',
  ],
  command: ['scripts/inventory.mjs'],
}

/** Returns false if the build failed; the builder has printed why. */
export const buildUi = (node = process.execPath) => buildIfChanged(UI, node)
export const buildService = (node = process.execPath) => buildIfChanged(SERVICE, node)
export const buildInventory = (node = process.execPath) => buildIfChanged(INVENTORY, node)

function* filesOf(path) {
  if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) yield* filesOf(join(path, name))
  else if (!/\.test\.tsx?$/.test(path)) yield path
}

function fingerprint(sources) {
  const hash = createHash('sha256')
  for (const source of sources)
    for (const file of filesOf(join(root, source))) hash.update(file.slice(root.length)).update(readFileSync(file))
  return hash.digest('hex')
}

function buildIfChanged(part, node) {
  const current = fingerprint(part.sources)
  const stamp = join(root, part.folder, part.stamp ?? '.built-from')
  const isCurrent = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === current
  if (isCurrent()) return true
  const release = takeLock()
  try {
    if (isCurrent()) return true
    console.log(`Millrace: building ${part.title} (after an update; a few seconds)...`)
    const built = spawnSync(node, part.command, {
      cwd: root,
      stdio: 'inherit',
      // Builds for production whatever the caller's environment is, that of a test for example.
      env: { ...process.env, NODE_ENV: 'production' },
      shell: process.platform === 'win32',
    })
    if (built.status !== 0) return false
    writeFileSync(stamp, current)
    return true
  } finally {
    release()
  }
}

/** Two builds at once, of two tests for example, would overwrite each other's files. */
function takeLock() {
  const since = Date.now()
  for (;;) {
    try {
      mkdirSync(LOCK)
      return () => rmSync(LOCK, { recursive: true, force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      // A process that holds the lock longer than any build takes was killed.
      if (Date.now() - since > LONGEST_BUILD_MS) rmSync(LOCK, { recursive: true, force: true })
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exit(buildUi() && buildService() && buildInventory() ? 0 : 1)
