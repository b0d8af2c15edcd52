// Finds the browser for test/browser: the machine's own, or on Debian that of apt. Runs before `npm test`.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Returns the path of the browser, or null. */
export function findChromium() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...candidates, ...PLACES].find((path) => existsSync(path)) ?? null
}

export const HOW_TO =
  'The browser tests need Chromium. On Debian or Ubuntu: apt-get install chromium. Elsewhere install Chromium or Chrome.'

function install() {
  const isRoot = process.getuid?.() === 0
  if (!isRoot || spawnSync('apt-get', ['--version']).status !== 0) return
  console.log('Millrace: installing Chromium for the browser tests (once)...')
  const apt = (...args) => spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
  const quiet = ['install', '-y', '-q', '--no-install-recommends', 'chromium']
  if (!apt(...quiet) && apt('update', '-q')) apt(...quiet)
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !findChromium()) {
  install()
  if (!findChromium()) console.error(`Millrace: ${HOW_TO}`)
}
