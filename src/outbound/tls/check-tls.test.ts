import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { TlsSettings } from '../../engine/ports/tls.ts'
import { makeAuthority } from './certificates.testkit.ts'
import { checkTls } from './check-tls.ts'
import { openTls } from './open-tls.ts'

const authority = makeAuthority('Test authority')
const client = authority.issue({ name: 'client' })
const file = (name: string) =>
  readFileSync(new URL(`../certificates.testkit/${name}.p12`, import.meta.url)).toString('base64')
const passphrase = 'let-me-in'
const faultsOf = (settings: Parameters<typeof checkTls>[0]) =>
  checkTls(settings).faults.map(({ field, message }) => `${field} ${message}`)

describe('checking TLS settings', () => {
  it('takes a certificate with its key, and an expired one too', () => {
    const { certificate, key } = client
    expect(checkTls({ certificate, key, ca: authority.certificate })).toEqual({ faults: [], certificate })
    const expired = authority.issue({ name: 'old', expiresAt: new Date(Date.now() - 1000) })
    expect(faultsOf({ certificate: expired.certificate, key: expired.key })).toEqual([])
  })

  it('finds the certificate in a PKCS#12 file', async () => {
    const opened = await openTls({ pkcs12: file('client'), passphrase })
    expect(opened.faults).toEqual([])
    expect(new X509Certificate(opened.certificate!).subject).toBe('CN=client in a file')
  })

  it.each<[string, TlsSettings, RegExp]>([
    [
      'a key of another certificate',
      { certificate: client.certificate, key: authority.issue({ name: 'x' }).key },
      /^key does not belong to the certificate/,
    ],
    ['no key', { certificate: client.certificate }, /^key is missing/],
    ['no certificate', { key: client.key }, /^certificate is missing/],
    [
      'a text that is no certificate',
      { certificate: 'MIIB', key: client.key },
      /^certificate holds no certificate in PEM/,
    ],
    [
      'a damaged certificate',
      { certificate: client.certificate.replace(/\n.{30}/, '\nAAAA'), key: client.key },
      /^certificate holds a damaged certificate/,
    ],
    ['a text that is no key', { certificate: client.certificate, key: 'secret' }, /^key is no private key in PEM/],
    ['an authority that is none', { ca: client.key }, /^ca holds no certificate/],
    ['a passphrase for nothing', { ca: authority.certificate, passphrase }, /^passphrase opens nothing/],
    ['a wrong passphrase', { pkcs12: file('client'), passphrase: 'other' }, /^passphrase does not open pkcs12/],
    ['no passphrase', { pkcs12: file('client') }, /^passphrase is missing/],
    ['a file that is not base64', { pkcs12: '\u0000\u0001' }, /^pkcs12 is not base64/],
    ['a file that is no PKCS#12', { pkcs12: Buffer.from('hello').toString('base64') }, /^pkcs12 is no PKCS#12 file/],
    ['a file with old encryption', { pkcs12: file('client-old'), passphrase }, /^pkcs12 is encrypted in an old way/],
    [
      'a file that takes long to open',
      { pkcs12: file('client-slow'), passphrase },
      /^pkcs12 is protected by more than/,
    ],
    ['a key beside a file', { pkcs12: file('client'), passphrase, key: client.key }, /^key cannot stand beside pkcs12/],
  ])('refuses %s, and says so without quoting it', (_what, settings, fault) => {
    const faults = faultsOf(settings)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(fault)
    for (const value of [client.key, passphrase, settings.pkcs12 ?? client.key]) expect(faults[0]).not.toContain(value)
  })
})
