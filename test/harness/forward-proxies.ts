// Starts real proxies for outbound requests: squid, of Debian, and proxy-chain, of npm. Each resolves public names to this machine.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { Server } from 'proxy-chain'
import { answersAt } from './answers-at.ts'
import { childEnvironment } from './environment.ts'
import { freePort } from './free-port.ts'

export interface ForwardProxy {
  /** The value of MILLRACE_PROXY. */
  url: string
  port: number
  /** Returns what the proxy was asked for, in order: `CONNECT host:port`, or the method and the whole URL. */
  asked(): string[]
  stop(): Promise<void>
}

export interface ForwardProxyOptions {
  /** Whether the proxy asks for the user and password. */
  signedIn?: boolean
  /** Whether the proxy is spoken to over TLS. */
  secure?: boolean
}

/** The names that the proxies resolve: a public one, and that of the certificate `other-host`. */
export const NAMES = ['api.example.com', 'other.example', 'auth.example.com', 'bucket.example.com', 'vault.example.com']
export const USER = 'millrace'
export const PASSWORD = 'pr0xy:p@ss'

const CERTIFICATES = resolve(import.meta.dirname, '../../src/outbound/certificates.testkit')
const CERTIFICATE = join(CERTIFICATES, 'localhost.pem')
const KEY = join(CERTIFICATES, 'key.pem')

const urlOf = (port: number, { signedIn, secure }: ForwardProxyOptions) =>
  `${secure ? 'https' : 'http'}://${signedIn ? `${USER}:${encodeURIComponent(PASSWORD)}@` : ''}127.0.0.1:${port}`

function whereIs(program: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null
}

/** Why squid is not here and cannot be installed; null if it can be used. Installs it as scripts/chromium.mjs does a browser. */
export function squidMissing(): string | null {
  if (whereIs('squid')) return null
  if (!whereIs('apt-get')) return 'squid is not installed, and there is no apt-get to install it'
  const apt = (...args: string[]) =>
    spawnSync('apt-get', args, { stdio: 'ignore', env: childEnvironment({ RUNLEVEL: '1' }) }).status === 0
  const add = () => apt('install', '-y', '-q', '--no-install-recommends', 'squid')
  // The lists of a new machine are empty.
  if (process.getuid?.() === 0 && !add() && apt('update', '-q')) add()
  if (!whereIs('squid')) return 'squid is not installed, and could not be: apt-get install squid'
  return null
}

export async function startSquid(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-squid-'))
  // Squid gives up the rights of root.
  chmodSync(folder, 0o777)
  const port = await freePort()
  const file = (name: string, text: string, mode = 0o644) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }
  const hosts = file('hosts', NAMES.map((name) => `127.0.0.1 ${name}\n`).join(''))
  const log = file('access.log', '', 0o666)
  const known = `${USER} ${PASSWORD}`
  const helper = file(
    'helper',
    `#!/bin/sh\nwhile read -r line; do if [ "$line" = "${known}" ]; then echo OK; else echo ERR; fi; done\n`,
    0o755,
  )
  const configuration = file(
    'squid.conf',
    [
      options.secure
        ? `https_port 127.0.0.1:${port} tls-cert=${CERTIFICATE} tls-key=${KEY}`
        : `http_port 127.0.0.1:${port}`,
      `hosts_file ${hosts}`,
      'dns_nameservers 127.0.0.1',
      'logformat asked %rm %ru',
      `access_log stdio:${log} asked`,
      'cache deny all',
      'cache_store_log none',
      `cache_log ${join(folder, 'cache.log')}`,
      `pid_filename ${join(folder, 'pid')}`,
      `coredump_dir ${folder}`,
      'shutdown_lifetime 0 seconds',
      'via off',
      'forwarded_for delete',
      'strip_query_terms off',
      ...(options.signedIn
        ? [
            `auth_param basic program ${helper}`,
            'auth_param basic children 1 startup=1',
            'acl known proxy_auth REQUIRED',
            'http_access allow known',
          ]
        : ['http_access allow all']),
      'http_access deny all',
      '',
    ].join('\n'),
  )
  const child = spawn(whereIs('squid')!, ['-N', '-n', `millrace${port}`, '-f', configuration], {
    env: childEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-4000)
    })
  let isOver = false
  const ended = new Promise<void>((resolve) =>
    child.on('close', () => {
      isOver = true
      resolve()
    }),
  )
  const kill = () => child.kill('SIGKILL')
  process.on('exit', kill)
  while (!(await answersAt(port))) if (isOver) throw new Error(`squid did not start: ${output}`)
  return {
    url: urlOf(port, options),
    port,
    // A socket without a request, as of the probe below, is logged too.
    asked: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => /^[A-Z]+ /.test(line)),
    async stop() {
      kill()
      await ended
      process.off('exit', kill)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function startProxyChain(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const asked: string[] = []
  const server = new Server({
    port: 0,
    host: '127.0.0.1',
    ...(options.secure
      ? { serverType: 'https', httpsOptions: { cert: readFileSync(CERTIFICATE), key: readFileSync(KEY) } }
      : { serverType: 'http' }),
    prepareRequestFunction({ request, username, password }) {
      asked.push(`${request.method} ${request.url}`)
      return {
        requestAuthentication: Boolean(options.signedIn) && (username !== USER || password !== PASSWORD),
        dnsLookup: ((name: string, given: { all?: boolean }, callback: (...args: unknown[]) => void) => {
          const address = { address: '127.0.0.1', family: 4 }
          if (!NAMES.includes(name)) callback(Object.assign(new Error(`unknown: ${name}`), { code: 'ENOTFOUND' }))
          else if (given.all) callback(null, [address])
          else callback(null, address.address, address.family)
        }) as typeof import('node:dns').lookup,
      }
    },
  })
  await server.listen()
  return { url: urlOf(server.port, options), port: server.port, asked: () => asked, stop: () => server.close(true) }
}
