// Tests what may be reached, decided by the address that is dialled.
import { describe, expect, it } from 'vitest'
import { specialRange, unwrapped } from './address-ranges.ts'
import { FORBIDDEN_URLS, NOT_PUBLIC } from './egress-cases.testkit.ts'
import { EgressGuard } from './egress-guard.ts'
import { parseEgressAllow } from './http-client.ts'
import type { ResolvedAddress } from './resolve-names.ts'
import { client, failure, get, httpServer, OWN, text } from './servers.testkit.ts'

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '198.20.0.1',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450::1',
  '64:ff9b::808:808',
  '::ffff:8.8.8.8',
]

describe('special ranges', () => {
  it.each(NOT_PUBLIC)('%s is not public', (address) => expect(specialRange(unwrapped(address))).not.toBeNull())
  it.each(PUBLIC)('%s is public', (address) => expect(specialRange(unwrapped(address))).toBeNull())
})

describe('literal addresses', () => {
  const closed = { allow: [] as string[] }
  it.each(FORBIDDEN_URLS)('refuses %s', async (url) => {
    expect(await failure(get(client(closed), url))).toMatchObject({ code: 'blocked_address' })
  })

  it('shows the host that would be dialled', async () => {
    expect((await failure(get(client(closed), 'http://0177.1/'))).message).toContain('127.0.0.1')
  })
})

describe('names', () => {
  const answers = (...addresses: string[]) =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const resolver = (...lists: ResolvedAddress[][]) => {
    let asked = 0
    return (_name: string, callback: (error: null, addresses: ResolvedAddress[]) => void) =>
      callback(null, lists[Math.min(asked++, lists.length - 1)]!)
  }

  it.each([
    ['a private address', answers('10.0.0.1')],
    ['mapped loopback', answers('::ffff:127.0.0.1')],
    ['public first, private second', answers('8.8.8.8', '192.168.0.1')],
    ['public A, loopback AAAA', answers('8.8.8.8', '::1')],
  ])('refuses a name that resolves to %s', async (_what, list) => {
    const error = await failure(get(client({ allow: [], lookup: resolver(list) }), 'http://rebind.example/'))
    expect(error).toMatchObject({ code: 'blocked_address' })
    expect(error.message).toContain('rebind.example')
    expect(error.message).not.toContain('192.168')
  })

  it('asks again for every connection, so an answer that changes is refused', async () => {
    const server = await httpServer((_, reply) => reply.writeHead(200, { connection: 'close' }).end('first'))
    const rules = { allow: ['127.0.0.1'], lookup: resolver(answers('127.0.0.1'), answers('10.0.0.1')) }
    const http = client(rules)
    expect(text(await get(http, `http://rebind.example:${server.port}/`))).toBe('first')
    expect(await failure(get(http, `http://rebind.example:${server.port}/`))).toMatchObject({ code: 'blocked_address' })
  })

  it('reaches an allowed name whatever it resolves to, on the allowed port only', async () => {
    const server = await httpServer((_, reply) => reply.end('in'))
    const lookup = resolver(answers('127.0.0.1'))
    const http = client({ allow: [`api.internal:${server.port}`], lookup })
    expect(text(await get(http, `http://API.internal.:${server.port}/`))).toBe('in')
    expect(await failure(get(http, 'http://api.internal:1/'))).toMatchObject({ code: 'blocked_address' })
    expect(await failure(get(http, `http://other.internal:${server.port}/`))).toMatchObject({ code: 'blocked_address' })
  })

  it('says that a name does not resolve', async () => {
    const lookup = (_name: string, callback: (error: Error, addresses: never[]) => void) =>
      callback(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), [])
    expect(await failure(get(client({ lookup }), 'http://nowhere.example/'))).toMatchObject({ code: 'dns_failed' })
  })
})

describe('cloud metadata', () => {
  const addresses = [
    '169.254.169.254',
    '169.254.170.2',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    'fe80::a9fe:a9fe',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
  ]
  const guard = (...allow: string[]) => new EgressGuard(parseEgressAllow(allow), OWN)

  it.each(addresses)('at %s is closed, whatever network or name is open', (address) => {
    const everything = ['private', 'loopback', '0.0.0.0/0', '::/0', '169.254.0.0/16', 'fd00::/8', 'metadata.internal']
    for (const host of [address, 'metadata.internal'])
      expect(guard(...everything).refusal(host, 80, address, [])).toMatchObject({ code: 'blocked_address' })
  })

  it.each(addresses)('at %s is open where that very address is', (address) => {
    expect(guard(address).refusal(address, 80, address, [])).toBeNull()
    const withPort = address.includes(':') ? `[${address}]:80` : `${address}:80`
    expect(guard(withPort).refusal(address, 80, address, [])).toBeNull()
    expect(guard(withPort).refusal(address, 81, address, [])).toMatchObject({ code: 'blocked_address' })
  })

  it('is refused before anything is sent to it', async () => {
    const error = await failure(get(client({ allow: ['private'] }), 'http://[fd00:ec2::254]/latest/meta-data/'))
    expect(error).toMatchObject({ code: 'blocked_address', message: expect.stringContaining('cloud metadata') })
  })
})

describe('own endpoints', () => {
  it.each(['127.0.0.1', '0.0.0.0', 'localhost', '::'])('blocks every local address on the port of %s', async (host) => {
    const own = { ...OWN, endpoints: [{ host, port: 5432 }] }
    const http = client({ own, allow: ['loopback', '0.0.0.0/0', '::/0', 'localhost', 'db.internal'] })
    for (const name of ['127.0.0.1', '127.0.0.2', 'localhost', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]'])
      expect(await failure(get(http, `http://${name}:5432/`))).toMatchObject({ code: 'blocked_address' })
    expect(await failure(get(http, 'http://127.0.0.1:2/'))).toMatchObject({ code: 'connection_refused' })
  })

  it('blocks the address behind the name of an own endpoint', async () => {
    const own = { ...OWN, endpoints: [{ host: 'db.internal', port: 5432 }] }
    const lookup = (_name: string, callback: (error: null, addresses: ResolvedAddress[]) => void) =>
      callback(null, [{ address: '10.0.0.5', family: 4 }])
    const http = client({ own, allow: ['10.0.0.0/8'], lookup })
    for (const host of ['10.0.0.5', 'db.internal', 'alias.internal'])
      expect(await failure(get(http, `http://${host}:5432/`, { timeoutMs: 500 }))).toMatchObject({
        code: 'blocked_address',
      })
  })

  it('blocks all where the name of an own endpoint cannot be resolved', async () => {
    const own = { ...OWN, endpoints: [{ host: 'db.internal', port: 5432 }] }
    const lookup = (_name: string, callback: (error: Error, addresses: never[]) => void) =>
      callback(Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' }), [])
    const http = client({ own, allow: ['loopback'], lookup })
    expect(await failure(get(http, 'http://127.0.0.1:5432/'))).toMatchObject({ code: 'dns_failed' })
  })
})

describe('parseEgressAllow', () => {
  it('takes words, ranges, addresses and hosts, with ports', () => {
    const entries = [
      'private',
      'Loopback',
      '10.0.0.0/8',
      'fd00::/8',
      '192.168.1.20',
      '::1',
      '[::1]:80',
      '10.1.1.1:81',
      'api.internal',
      'api.internal:8080',
    ]
    const rules = parseEgressAllow(entries)
    expect(rules.hosts).toEqual([
      { what: 'api.internal', port: null },
      { what: 'api.internal', port: 8080 },
    ])
    expect(rules.ranges).toHaveLength(12)
  })

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0/8',
    'host/8',
    'http://x',
    'a b',
    'host:0',
    'host:70000',
    '*.example.com',
    'user@host',
    '[::1',
  ])('refuses %j with one line', (entry) =>
    expect(() => parseEgressAllow([entry])).toThrow(
      /^".*" is (not a CIDR range|neither a CIDR range nor a host); write/,
    ),
  )
})
