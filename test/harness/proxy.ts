// Starts a real proxy with the configuration that docs/deploy.md prints, before any port. Tests skip a missing proxy.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { answersAt } from './answers-at.ts'
import { childEnvironment } from './environment.ts'
import { freePort } from './free-port.ts'

export const PROXIES = ['nginx', 'caddy', 'haproxy'] as const
export type ProxyName = (typeof PROXIES)[number]

export interface StartedProxy {
  port: number
  stop(): Promise<void>
}

const root = resolve(import.meta.dirname, '../..')
const CERTIFICATES = join(root, 'src/outbound/certificates.testkit')
const CERTIFICATE = join(CERTIFICATES, 'localhost.pem')
const KEY = join(CERTIFICATES, 'key.pem')

/** Returns the path, or null. Only Linux has several loopback addresses, so that a client can come from another. */
export function findProxy(name: ProxyName): string | null {
  if (process.platform !== 'linux') return null
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

const LANGUAGES: Record<ProxyName, string> = { nginx: 'nginx', caddy: 'caddyfile', haproxy: 'haproxy' }

/** Returns the configuration as it is printed. */
export function printedConfiguration(name: ProxyName): string {
  const page = readFileSync(join(root, 'docs/deploy.md'), 'utf8')
  return new RegExp(`^\`\`\`${LANGUAGES[name]}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)![1]!
}

interface Command {
  configuration: string
  args(file: string, folder: string): string[]
}

/** Returns the printed configuration with the test's ports and certificate, inside what the system's own would contain. */
function commandOf(name: ProxyName, port: number, upstream: number, folder: string): Command {
  const printed = printedConfiguration(name)
  const replaced = (...changes: [string, string][]) =>
    changes.reduce((text, [from, to]) => {
      if (text.split(from).length !== 2) throw new Error(`docs/deploy.md has not exactly one "${from}" for ${name}`)
      return text.replace(from, () => to)
    }, printed)
  const upstreamAddress: [string, string] = ['127.0.0.1:8080', `127.0.0.1:${upstream}`]
  switch (name) {
    case 'nginx': {
      const server = replaced(
        upstreamAddress,
        ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
        ['/etc/letsencrypt/live/flows.example.com/fullchain.pem', CERTIFICATE],
        ['/etc/letsencrypt/live/flows.example.com/privkey.pem', KEY],
      )
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder};`)
      const around = `pid ${folder}/pid; error_log stderr; events {}\nhttp { access_log off; ${paths.join(' ')}`
      return {
        configuration: `${process.getuid?.() === 0 ? 'user root; ' : ''}${around}\n${server}}\n`,
        args: (file) => ['-c', file, '-p', folder, '-g', 'daemon off;'],
      }
    }
    case 'caddy': {
      const site = replaced(upstreamAddress, [
        'flows.example.com {',
        `https://flows.example.com:${port} {\n  bind 127.0.0.1\n  tls ${CERTIFICATE} ${KEY}`,
      ])
      return {
        configuration: `{\n  admin off\n  auto_https disable_redirects\n}\n${site}`,
        args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
      }
    }
    case 'haproxy': {
      const together = join(folder, 'both.pem')
      writeFileSync(together, readFileSync(CERTIFICATE, 'utf8') + readFileSync(KEY, 'utf8'))
      return {
        configuration: replaced(
          upstreamAddress,
          ['bind :443', `bind 127.0.0.1:${port}`],
          ['/etc/haproxy/flows.example.com.pem', together],
        ),
        args: (file) => ['-f', file, '-db'],
      }
    }
  }
}

/** Resolves when the proxy answers. */
export async function startProxy(name: ProxyName, upstream: number): Promise<StartedProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-proxy-'))
  // nginx stores a body in a file by a process that may belong to another user.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const { configuration, args } = commandOf(name, port, upstream, folder)
  const file = join(folder, 'configuration')
  writeFileSync(file, configuration)
  const env = childEnvironment({ HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder })
  const child = spawn(findProxy(name)!, args(file, folder), { env, stdio: ['ignore', 'pipe', 'pipe'] })
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
  while (!(await answersAt(port)))
    if (isOver) throw new Error(`${name} does not take the configuration of docs/deploy.md: ${output}`)
  return {
    port,
    async stop() {
      child.kill('SIGTERM')
      await ended
      process.off('exit', kill)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
