import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { DigestCredential } from '../../../engine/ports/connections.ts'
import type { OutboundBody, OutboundHop, OutboundReply } from '../../../engine/ports/http-client.ts'
import { AwsSigner, DigestSigner } from './signers.ts'

const hopTo = (url: string, body: OutboundBody = null, headers: OutboundHop['headers'] = []): OutboundHop => ({
  url: new URL(url),
  method: 'GET',
  headers,
  body,
})
const replied = (status: number, headers: Record<string, string>): OutboundReply => ({
  status,
  headers,
  cookies: [],
  body: new Uint8Array(),
  url: 'https://a.example/',
  redirects: 0,
  durationMs: 1,
})
const asks = (nonce: string, more = '') =>
  replied(401, { 'www-authenticate': `Digest realm="r", nonce="${nonce}", qop="auth"${more}` })
const headerOf = (headers: readonly { name: string; value: string }[], name: string) =>
  headers.find((header) => header.name.toLowerCase() === name)?.value

describe('a Digest signer', () => {
  const A = 'https://a.example'
  const credential = (): DigestCredential => ({ kind: 'digest', username: 'me', password: 'pw', challenges: new Map() })
  const own = { name: 'authorization', value: 'Basic of-the-step', credential: true }

  it('sends nothing before it is asked, not even what the step has', () => {
    expect(new DigestSigner(credential(), 'bank').sign(hopTo(A, null, [own]))).toEqual([])
  })

  it('answers, names its connection, and remembers what was accepted', () => {
    const shared = credential()
    const signer = new DigestSigner(shared, 'bank')
    expect(signer.learn(A, asks('n1'))).toBe(true)
    expect(shared.challenges.size).toBe(0)
    const headers = signer.sign(hopTo(`${A}/x?y=1`, null, [own]))
    expect(headers).toEqual([
      { name: 'Authorization', value: expect.stringContaining('uri="/x?y=1"'), credential: true, named: ['bank'] },
    ])
    expect(signer.learn(A, replied(200, {}))).toBe(false)
    expect(headerOf(new DigestSigner(shared, 'bank').sign(hopTo(A)), 'authorization')).toContain('nc=00000002')
  })

  it('gives up after a wrong password, and after the second old nonce', () => {
    const wrong = new DigestSigner(credential(), 'bank')
    expect([wrong.learn(A, asks('n1')), wrong.learn(A, asks('n2'))]).toEqual([true, false])
    const old = new DigestSigner(credential(), 'bank')
    const stale = asks('n', ', stale=true')
    expect([stale, stale, stale].map((reply) => old.learn(A, reply))).toEqual([true, true, false])
  })

  it('takes the next nonce if it can be sent', () => {
    const shared = credential()
    const signer = new DigestSigner(shared, 'bank')
    signer.learn(A, asks('n1'))
    signer.learn(A, replied(200, { 'authentication-info': 'nextnonce="n2"' }))
    expect(shared.challenges.get(A)?.challenge.nonce).toBe('n2')
    for (const bad of ['a\u0001b', 'n'.repeat(5000)])
      new DigestSigner(shared, 'bank').learn(A, replied(200, { 'authentication-info': `nextnonce="${bad}"` }))
    expect(shared.challenges.get(A)?.challenge.nonce).toBe('n2')
  })

  it('remembers the challenges of 50 origins', () => {
    const shared = credential()
    for (let i = 0; i < 60; i++) {
      const signer = new DigestSigner(shared, 'bank')
      signer.learn(`https://a${i}.example`, asks('n'))
      signer.learn(`https://a${i}.example`, replied(200, {}))
    }
    expect(shared.challenges.size).toBe(50)
    expect([...shared.challenges.keys()][0]).toBe('https://a10.example')
  })
})

describe('an AWS signer', () => {
  const EMPTY = createHash('sha256').digest('hex')
  const aws = (service: string) =>
    new AwsSigner(
      { kind: 'aws', accessKeyId: 'A', secretAccessKey: 'S', sessionToken: null, region: 'r', service },
      'aws',
      () => Date.parse('2015-08-30T12:36:00.123Z'),
    )

  it('writes its own headers in place of those of the step', () => {
    const given = ['Authorization', 'x-amz-date', 'X-Amz-Security-Token'].map((name) => ({
      name,
      value: 'old',
      credential: false,
    }))
    const headers = aws('sqs').sign(hopTo('https://a.example/', null, given))
    expect(headers.map(({ name }) => name)).toEqual(['X-Amz-Date', 'Authorization'])
    expect(headerOf(headers, 'x-amz-date')).toBe('20150830T123600Z')
    expect(headers.every(({ credential, named }) => credential && named?.[0] === 'aws')).toBe(true)
  })

  it.each([
    ['s3', true],
    ['s3express', true],
    ['s3-outposts', true],
    ['s3tables', false],
    ['sqs', false],
  ])('sends the hash of the body to %s: %s', (service, isSent) => {
    expect(headerOf(aws(service).sign(hopTo('https://a.example/')), 'x-amz-content-sha256')).toBe(
      isSent ? EMPTY : undefined,
    )
  })

  it('signs the hash of nothing where a redirect has taken the body away', async () => {
    const signer = aws('s3')
    await signer.prepare('', 'text')
    const hash = (body: OutboundBody) =>
      headerOf(signer.sign(hopTo('https://a.example/', body)), 'x-amz-content-sha256')
    expect(hash('text')).toBe(createHash('sha256').update('text').digest('hex'))
    expect(hash(null)).toBe(EMPTY)
  })
})
