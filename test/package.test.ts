// Tests that the result of `npm pack` can be installed in an empty folder, and works as the quick start says.
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { childEnvironment } from './harness/environment.ts'
import { freePort } from './harness/free-port.ts'
import { TOKEN, temporaryFolder } from './harness/millrace.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')
// The package depends on Node 24 as an optional package of a hundred megabytes; the Node of this test stands for it.
const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`
const environment = childEnvironment({ PATH, MILLRACE_ADMIN_TOKEN: TOKEN })

it('the package serves from an empty folder', { timeout: 240_000 }, async () => {
  const folder = temporaryFolder()
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, env: environment })
  const [tarball] = readdirSync(folder)
  const home = join(folder, 'home')
  mkdirSync(home)
  const install = [
    'install',
    '--prefix',
    '.',
    '--omit=optional',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    join(folder, tarball!),
  ]
  await run('npm', install, { cwd: home, env: environment })
  const installed = readdirSync(join(home, 'node_modules/millrace/dist'))
  expect(installed).toEqual(expect.arrayContaining(['sbom.cdx.json', 'third-party-licenses.txt']))
  expect(installed, 'a file for the build alone').not.toContain('.modules')
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const server = spawn('node_modules/.bin/millrace', ['serve'], {
    cwd: home,
    env: { ...environment, MILLRACE_PORT: String(port), MILLRACE_EGRESS_ALLOW: 'loopback' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void server.kill())
  const exited = new Promise((done) => server.on('exit', done))
  const received = new Promise<string>((arrived) => {
    const upstream = createServer((request, response) => {
      arrived(request.url!)
      response.end('{}')
      upstream.close()
    }).listen(0, '127.0.0.1', () => {
      const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
      const steps = [
        { id: 'sum', kind: 'code', input: '{{ webhook.body.n }}', code: 'export default (n: number) => n + 1' },
        { id: 'call', kind: 'http', method: 'GET', url: `${url}/{{ steps.sum }}` },
      ]
      writeFileSync(join(home, 'flow.json'), JSON.stringify({ name: 'First', trigger: { kind: 'webhook' }, steps }))
    })
  })
  await new Promise<void>((ready, failed) => {
    server.stdout.on('data', (chunk) => String(chunk).includes('is ready') && ready())
    server.on('exit', (code) => failed(new Error(`it ended with ${code}`)))
  })
  expect(await (await fetch(base)).text()).toContain('<div id="root">')

  const millrace = async (...args: string[]) =>
    (await run('node_modules/.bin/millrace', args, { cwd: home, env: environment })).stdout
  await millrace('flows', 'apply', 'flow.json', '--publish', '--yes')
  const sent = await millrace('send', 'First', '--data', '{"n": 41}', '--json')
  expect(JSON.parse(sent)).toMatchObject({ status: 200 })
  expect(await received).toBe('/42')

  server.kill('SIGTERM')
  expect(await exited).toBe(0)
})
