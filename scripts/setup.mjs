// Runs before `npm start` and `npm test` on any Node: installs what is missing, including the pinned Node, builds what is
// not up to date, and says what to do if it cannot.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildInventory, buildService, buildUi } from './build.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'))

/** Compares the lockfile's packages with those of npm's last install; optional ones may be missing (other platforms). */
function upToDate() {
  if (!existsSync(join(root, 'node_modules/.package-lock.json'))) return false
  const wanted = read('package-lock.json').packages
  const present = read('node_modules/.package-lock.json').packages
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' || (present[path] ? present[path].version === entry.version : entry.optional === true),
  )
}

if (!upToDate()) {
  console.log('Millrace: installing its packages (once; about 20 seconds)...')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const installed = spawnSync(
    npm,
    ['install', '--no-save', '--include=optional', '--include=dev', '--no-fund', '--no-audit', '--loglevel=error'],
    {
      cwd: root,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    },
  )
  if (installed.status !== 0) {
    console.error(
      'Millrace: npm could not install the packages (see above). Check the network or registry, then run the command again.',
    )
    process.exit(1)
  }
}

const pinned = join(root, 'node_modules/.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
const node = existsSync(pinned) ? pinned : process.execPath
const version =
  spawnSync(node, ['-p', 'process.versions.node'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  }).stdout?.trim() ?? 'none'
if (Number(version.split('.')[0]) < 24) {
  console.error(
    `Millrace needs Node 24 or newer; this machine runs ${version}, and npm did not bring the pinned one.\n` +
      'Run `npm install --include=optional`, or install Node 24 from your system, and try again.',
  )
  process.exit(1)
}

if (!buildService(node)) process.exit(1)
if (buildUi(node)) buildInventory(node)
else console.error('Millrace: the service works without its web UI; see the fault above to have it back.')
