// Finds the browser for test/browser: on Debian the one without a window, of apt; else the machine's own. Runs before
// `npm test`.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The same engine without a window takes less than half the processor time.
const SHELL = 'chromium-headless-shell'
const NAMES = [SHELL, 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const FOLDERS = (process.env.PATH ?? '').split(delimiter)
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Returns the path of the browser, or null. */
export function findChromium() {
  const candidates = NAMES.flatMap((name) => FOLDERS.map((folder) => join(folder, name)))
  return [...candidates, ...PLACES].find((path) => existsSync(path)) ?? null
}

export const HOW_TO =
  'The browser tests need Chromium. On Debian or Ubuntu: apt-get install chromium. Elsewhere install Chromium or Chrome.'

const isThere = (name) => FOLDERS.some((folder) => existsSync(join(folder, name)))

function install() {
  const isRoot = process.getuid?.() === 0
  if (!isRoot || spawnSync('apt-get', ['--version']).status !== 0) return
  console.log('Millrace: installing Chromium for the browser tests (once)...')
  const apt = (...args) => spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
  const add = (name) => apt('install', '-y', '-q', '--no-install-recommends', name)
  if (add(SHELL)) return
  // The lists of a new machine are empty; older distributions have no shell of its own.
  if (apt('update', '-q') && add(SHELL)) return
  if (!findChromium()) add('chromium')
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !isThere(SHELL)) {
  install()
  if (!findChromium()) console.error(`Millrace: ${HOW_TO}`)
}
