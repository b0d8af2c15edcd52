// Node-RED, installed from npm into a temporary folder, with the scenarios as flows. Each is as short as it can be: a function does
// what takes several steps in Millrace, without a sandbox, and nothing is stored.

import type { ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../folder.ts'
import { run, spawnScript } from '../service.ts'

const VERSION = '5'

/** As it is installed, every request passes the routes of its editor; a setting leaves the editor out. */
const VARIANTS = [
  { name: 'node-red', set: {} },
  { name: 'node-red, no editor', set: { httpAdminRoot: false } },
]

export interface NodeRed {
  version: string
  variants: { name: string; port: number; child: ChildProcess }[]
}

/** Starts each variant, on ports from `port` on; returns null, after saying why, if Node-RED cannot be installed or started. */
export async function startNodeRed(port: number, upstream: string): Promise<NodeRed | null> {
  const folder = temporaryFolder()
  console.log(`installing Node-RED ${VERSION} ...`)
  try {
    // Scripts of packages are not needed, so they do not run.
    await run('npm', [
      'install',
      '--prefix',
      folder,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      `node-red@${VERSION}`,
    ])
    const installed = join(folder, 'node_modules/node-red')
    const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string }
    const variants: NodeRed['variants'] = []
    for (const [i, { name, set }] of VARIANTS.entries()) {
      const own = temporaryFolder()
      const given = { ...settings(own, port + i), ...set }
      writeFileSync(join(own, 'settings.cjs'), `module.exports = ${JSON.stringify(given)}\n`)
      writeFileSync(join(own, 'flows.json'), JSON.stringify(flows(upstream)))
      const script = [join(installed, 'red.js'), '--settings', join(own, 'settings.cjs')]
      variants.push({ name, port: port + i, child: await spawnScript(script, {}, 'Started flows') })
    }
    return { version, variants }
  } catch (error) {
    console.error(`Node-RED is left out: ${(error as Error).message}`)
    return null
  }
}

const settings = (folder: string, port: number) => ({
  uiHost: '127.0.0.1',
  uiPort: port,
  userDir: folder,
  flowFile: 'flows.json',
  lang: 'en-US',
  // Nobody to tell about updates.
  telemetry: { enabled: false, updateNotification: false },
  credentialSecret: false,
  functionExternalModules: true,
  logging: { console: { level: 'info' } },
})

interface Node {
  id: string
  type: string
  z: string
  wires: string[][]
  [setting: string]: unknown
}

/** Wires nodes in a row, between the URL `/<name>` and its reply. */
function inRow(name: string, entry: object, ...between: { type: string; [setting: string]: unknown }[]): Node[] {
  const row = [
    { type: 'http in', url: `/${name}`, method: 'post', ...entry },
    ...between,
    { type: 'http response', statusCode: '200', headers: { 'content-type': 'application/json' } },
  ]
  return row.map((node, at) => ({
    ...node,
    id: `${name}${at}`,
    z: 'bench',
    wires: at === row.length - 1 ? [] : [[`${name}${at + 1}`]],
  }))
}

const code = (func: string, libs: object[] = []) => ({ type: 'function', func, outputs: 1, libs })

const flows = (upstream: string) => [
  { id: 'bench', type: 'tab', label: 'bench' },
  ...inRow('a', {}, code("msg.payload = { status: 'success', id: msg.payload.id }; return msg")),
  ...inRow(
    'b',
    {},
    code('msg.payload = { id: msg.payload.id, total: msg.payload.total }; return msg'),
    // persist: keep-alive.
    { type: 'http request', method: 'POST', ret: 'obj', url: `${upstream}/rate`, persist: true },
    code('msg.payload = { rate: msg.payload.rate }; return msg'),
  ),
  ...inRow(
    'c',
    { skipBodyParsing: true },
    code(
      [
        "const mac = crypto.createHmac('sha256', 'whsec_bench').update(msg.payload).digest('hex')",
        "msg.payload = { tier: JSON.parse(msg.payload).total > 100 ? 'high' : 'low', mac }",
        'return msg',
      ].join('\n'),
      [{ var: 'crypto', module: 'crypto' }],
    ),
  ),
]
