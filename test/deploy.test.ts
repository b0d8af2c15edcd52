// Checks that deploy/ and the Dockerfile are consistent and fit the service. There is no container engine here to run them.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { validate } from 'dockerfile-utils'
import { CORE_SCHEMA, load, loadAll, mergeTag } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../src/app/config.ts'
import { createClientAddress } from '../src/http/client-address.ts'
import { startMillrace, TEST_KEY, TOKEN, temporaryFolder } from './harness/millrace.ts'

const root = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
/** Every variable that the service reads. */
const settings = new Set(read('src/app/config.ts').match(/(?<!\w)(?:MILLRACE_(?!ENV_)[A-Z_]+|DATABASE_URL)(?!\w)/g))

const given = {
  POSTGRES_PASSWORD: 'p4ssword',
  MILLRACE_SECRET_KEY: TEST_KEY,
  MILLRACE_ADMIN_TOKEN: 'choose-a-long-token',
}
/** Inserts default values as Compose does. */
const filled = (text: string): string =>
  text.replaceAll(/\$\{(\w+)(?::(\?|-)([^}]*))?\}/g, (_, name: string, operator, fallback) => {
    const value = (given as Record<string, string>)[name]
    if (value === undefined && operator !== '-') throw new Error(`${name} is not set`)
    return value ?? fallback
  })

interface ComposeService {
  image: string
  build?: string
  environment?: Record<string, string>
  depends_on?: Record<string, { condition: string }> | string[]
  deploy?: { replicas: number }
  healthcheck?: object
  volumes?: string[]
}

/** Reads YAML as Compose does: with merge keys. */
const schema = CORE_SCHEMA.withTags([mergeTag])

it('YAML files are valid, without keys that stand twice', () => {
  for (const file of ['compose.yaml', 'kubernetes.yaml', 'alerts.yaml'])
    expect(loadAll(read(`deploy/${file}`), { schema }).length, file).toBeGreaterThan(0)
})

describe('compose.yaml', () => {
  const { services, volumes } = load(read('deploy/compose.yaml'), { schema }) as {
    services: Record<string, ComposeService>
    volumes: object
  }

  it('starts two processes that take deliveries and two workers, with settings that the service takes', () => {
    for (const role of ['web', 'worker'] as const) {
      const service = services[role]!
      expect(service.deploy).toEqual({ replicas: 2 })
      const environment = Object.fromEntries(
        Object.entries(service.environment!).map(([name, value]) => [name, filled(String(value))]),
      )
      expect(Object.keys(environment).filter((name) => !settings.has(name))).toEqual([])
      const config = readConfig(environment)
      expect(config).toMatchObject({ role, secretKeys: [TEST_KEY] })
      expect(new URL(config.databaseUrl!).hostname).toBe('db')
      expect(service.depends_on).toEqual({ db: { condition: 'service_healthy' } })
    }
    expect(services['db']!.healthcheck).toBeDefined()
    expect(Object.keys(services).toSorted()).toEqual(['db', 'proxy', 'web', 'worker'])
    expect(volumes).toHaveProperty('database')
  })

  it('mounts files that there are, and asks for what its example names', () => {
    for (const [name] of (services['proxy']!.volumes ?? []).map((volume) => volume.split(':') as [string]))
      expect(existsSync(join(root, 'deploy', name))).toBe(true)
    const example = read('deploy/example.env').match(/^\w+(?==)/gm)!
    const asked = new Set([...read('deploy/compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name!))
    expect([...asked].toSorted()).toEqual(example.toSorted())
    expect(read('deploy/nginx.conf')).toContain('server web:8080')
    expect(existsSync(join(root, 'deploy', services['web']!.build!, 'Dockerfile'))).toBe(true)
  })
})

describe('kubernetes.yaml', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into whatever is there
  const objects = loadAll(read('deploy/kubernetes.yaml')) as any[]
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind)

  it('describes both roles, asks for health where it is served, and runs as nobody special', () => {
    const deployments = ofKind('Deployment')
    const roles = deployments.map(({ spec }) => {
      const [container] = spec.template.spec.containers
      expect(spec.replicas).toBe(2)
      expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels)
      expect(spec.template.spec.securityContext.runAsNonRoot).toBe(true)
      expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'http' })
      expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' })
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(10)
      return container.env.find(({ name }: { name: string }) => name === 'MILLRACE_ROLE').value
    })
    expect(roles).toEqual(['web', 'worker'])
    const [service] = ofKind('Service')
    expect(service.spec.selector).toEqual(deployments[0].spec.selector.matchLabels)
  })

  it('names settings that there are', () => {
    const [secret] = ofKind('Secret')
    const [map] = ofKind('ConfigMap')
    const names = [...Object.keys(secret.stringData), ...Object.keys(map.data)]
    expect(names.filter((name) => !settings.has(name))).toEqual([])
    expect(names).toEqual(expect.arrayContaining(['DATABASE_URL', 'MILLRACE_SECRET_KEY']))
  })
})

describe('the proxy that is trusted', () => {
  // biome-ignore-start lint/suspicious/noExplicitAny: the test looks into whatever is there
  const compose = load(read('deploy/compose.yaml'), { schema }) as any
  const [map] = (loadAll(read('deploy/kubernetes.yaml')) as any[]).filter(({ kind }) => kind === 'ConfigMap')
  // biome-ignore-end lint/suspicious/noExplicitAny: the test looks into whatever is there
  const clientOf = (trusted: string, peer: string, forwarded: string) =>
    createClientAddress(readConfig({ MILLRACE_TRUST_PROXY: trusted }).trustProxy)({
      socket: { remoteAddress: peer },
      headers: { 'x-forwarded-for': forwarded },
    } as unknown as IncomingMessage)

  it.each([
    ['compose.yaml', String(compose.services.web.environment.MILLRACE_TRUST_PROXY)],
    ['kubernetes.yaml', String(map.data.MILLRACE_TRUST_PROXY)],
  ])('is one address in %s: nobody else says who sent a request', (_file, trusted) => {
    expect(isIP(trusted)).not.toBe(0)
    for (const neighbour of ['10.1.2.3', '172.30.83.129', '192.168.1.5', 'fd00::5']) {
      expect(clientOf(trusted, neighbour, '203.0.113.9')).toBe(neighbour)
      expect(clientOf(trusted, trusted, `203.0.113.9, ${neighbour}`)).toBe(neighbour)
    }
  })

  it('has in compose.yaml the address that is trusted, which nobody else can get', () => {
    const address = compose.services.proxy.networks.default.ipv4_address
    expect(compose.services.web.environment.MILLRACE_TRUST_PROXY).toBe(address)
    const [{ subnet, ip_range: others }] = compose.networks.default.ipam.config
    const inside = (range: string) => {
      const list = new BlockList()
      const [network, bits] = range.split('/') as [string, string]
      list.addSubnet(network, Number(bits))
      return list.check(address)
    }
    expect([inside(subnet), inside(others)]).toEqual([true, false])
  })
})

describe('Dockerfile', () => {
  it('is valid', () => {
    expect(validate(read('Dockerfile'))).toEqual([])
  })

  const lines = read('Dockerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const instructions = lines.map((line) => /^([A-Z]+) (.*)$/.exec(line)!.slice(1) as [name: string, rest: string])
  const last = instructions.slice(instructions.findLastIndex(([name]) => name === 'FROM'))

  it('consists of instructions that there are, and copies files that there are', () => {
    const known = [
      'FROM',
      'WORKDIR',
      'COPY',
      'RUN',
      'ENV',
      'VOLUME',
      'USER',
      'EXPOSE',
      'HEALTHCHECK',
      'STOPSIGNAL',
      'CMD',
    ]
    expect(instructions.filter(([name]) => !known.includes(name))).toEqual([])
    const stages = instructions.flatMap(([name, rest]) => (name === 'FROM' ? (/ AS (\w+)$/.exec(rest)?.[1] ?? []) : []))
    for (const [, rest] of instructions.filter(([name]) => name === 'COPY')) {
      const from = /^--from=(\w+) /.exec(rest)?.[1]
      if (from) expect(stages).toContain(from)
      else
        for (const source of rest.split(' ').slice(0, -1))
          expect([source, existsSync(join(root, source))]).toEqual([source, true])
    }
  })

  it('runs the service as an ordinary user, says how to ask for its health, and starts what package.json starts', () => {
    expect(last).toContainEqual(['USER', 'node'])
    const [, health] = last.find(([name]) => name === 'HEALTHCHECK')!
    expect(health).toContain('/healthz')
    const [, command] = last.find(([name]) => name === 'CMD')!
    const { start } = JSON.parse(read('package.json')).scripts
    expect((JSON.parse(command) as string[]).join(' ')).toBe(start)
    const environment = Object.fromEntries(
      last
        .find(([name]) => name === 'ENV')![1]
        .split(' ')
        .map((pair) => pair.split('=') as [string, string]),
    )
    expect(readConfig(environment)).toMatchObject({ host: '0.0.0.0', dataDir: '/data' })
  })
})

describe('the units of systemd', () => {
  const valuesOf = (unit: string, key: string) =>
    [...read(`deploy/${unit}`).matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value!)
  const namesOf = (unit: string) => valuesOf(unit, 'Environment').map((entry) => entry.split('=')[0]!)

  it('start what npm start starts, with settings that there are, and leave it time to stop', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } }
    expect(valuesOf('millrace.service', 'ExecStart')).toEqual([`/opt/millrace/node_modules/.bin/${scripts.start}`])
    for (const name of [...namesOf('millrace.service'), ...namesOf('millrace-backup.service')])
      if (!['NODE_ENV', 'GLIBC_TUNABLES'].includes(name)) expect(settings).toContain(name)
    expect(Number(valuesOf('millrace.service', 'TimeoutStopSec')[0])).toBeGreaterThan(10)
  })

  it('make a backup of the running service, and delete copies that are older than 14 days', async () => {
    const [command, folder] = valuesOf('millrace-backup.service', 'ExecStart')[0]!.split(' ') as [string, string]
    expect(folder).toBe(`/var/lib/${valuesOf('millrace-backup.service', 'StateDirectory')[0]}`)
    const script = command.replace('/opt/millrace', root)
    const copies = temporaryFolder()
    const daysAgo = (days: number) => Date.now() / 1000 - days * 86_400
    for (const [name, days] of [
      ['millrace-old.db', 16],
      ['millrace-recent.db', 10],
      ['other.db', 16],
    ] as const) {
      writeFileSync(join(copies, name), '')
      utimesSync(join(copies, name), daysAgo(days), daysAgo(days))
    }
    const dataDir = temporaryFolder()
    const millrace = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
    try {
      const environment = { ...process.env, MILLRACE_DATA_DIR: dataDir, MILLRACE_ADMIN_TOKEN: TOKEN }
      const child = spawn(script, [copies], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] })
      expect(await new Promise((done) => child.on('close', done))).toBe(0)
      const [made, ...others] = readdirSync(copies).toSorted()
      expect(made).toMatch(/^millrace-\d{4}-\d\d-\d\d\.db$/)
      expect(others).toEqual(['millrace-recent.db', 'other.db'])
    } finally {
      await millrace.stop()
      for (const folder of [copies, dataDir]) rmSync(folder, { recursive: true })
    }
  })
})
