// Makes authorities and certificates for tests (RFC 5280), as short-lived or as wrong as a test wants them.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export interface MadeCertificate {
  /** PEM. */
  certificate: string
  key: string
  issue(options: CertificateOptions): MadeCertificate
}

export interface CertificateOptions {
  name: string
  /** Host names that it is for. */
  hosts?: readonly string[]
  validFrom?: Date
  expiresAt?: Date
}

const DAY = 86_400_000
const ECDSA_SHA256 = '06082a8648ce3d040302'
const COMMON_NAME = '0603550403'
const BASIC_CONSTRAINTS = '0603551d13'
const ALT_NAME = '0603551d11'

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex')

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts)
const nameOf = (name: string): Buffer => sequence(der(0x31, sequence(bytes(COMMON_NAME), der(0x0c, Buffer.from(name)))))
const time = (date: Date): Buffer =>
  der(
    0x18,
    Buffer.from(
      date
        .toISOString()
        .replaceAll(/[-:T]/g, '')
        .replace(/\.\d+Z$/, 'Z'),
    ),
  )
const extension = (id: string, value: Buffer): Buffer => sequence(bytes(id), der(0x04, value))

/** Returns an authority, or a certificate that an authority issues. */
function make(
  {
    name,
    hosts = [],
    validFrom = new Date(Date.now() - DAY),
    expiresAt = new Date(Date.now() + 365 * DAY),
  }: CertificateOptions,
  issuer: { name: string; key: KeyObject } | null,
): MadeCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const algorithm = sequence(bytes(ECDSA_SHA256))
  const extensions = [
    extension(BASIC_CONSTRAINTS, issuer ? sequence() : sequence(der(0x01, bytes('ff')))),
    ...(hosts.length ? [extension(ALT_NAME, sequence(...hosts.map((host) => der(0x82, Buffer.from(host)))))] : []),
  ]
  const content = sequence(
    der(0xa0, der(0x02, bytes('02'))),
    der(0x02, Buffer.concat([bytes('01'), randomBytes(8)])),
    algorithm,
    nameOf(issuer?.name ?? name),
    sequence(time(validFrom), time(expiresAt)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', content, issuer?.key ?? privateKey)
  const whole = sequence(content, algorithm, der(0x03, bytes('00'), signature))
  const lines = whole.toString('base64').replaceAll(/(.{64})(?=.)/g, '$1\n')
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    issue: (options) => make(options, { name, key: privateKey }),
  }
}

export const makeAuthority = (name: string): MadeCertificate => make({ name }, null)
