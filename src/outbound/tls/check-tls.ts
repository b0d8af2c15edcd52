// Opens the certificates and keys of TLS settings, and says which of them are no good. It runs in a process of its own.
import { createPrivateKey, type KeyObject, pbkdf2Sync, X509Certificate } from 'node:crypto'
import { Duplex } from 'node:stream'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import type { TlsSettings } from '../../engine/ports/tls.ts'
import type { OpenedTls, TlsFault } from '../../operations/ports/connections.ts'
import { certificatesIn, secureOptions } from './secure-options.ts'

/** What protects a file costs as many rounds of hashing whenever it is opened, by the service itself too. */
const MOST_ROUNDS = 50_000
/** Everything that takes less is fine on any machine. */
const SHORT_US = 5_000

export function checkTls(settings: TlsSettings): OpenedTls {
  const faults: TlsFault[] = []
  const report = (field: TlsFault['field'], message: string): null => {
    faults.push({ field, message })
    return null
  }
  const { certificate, key, pkcs12, passphrase, ca } = settings
  if (ca !== undefined) readChain('ca', ca, report)
  const isNeeded = certificate !== undefined || key !== undefined || pkcs12 !== undefined
  if (!isNeeded) {
    if (passphrase !== undefined) report('passphrase', 'opens nothing: there is neither key nor pkcs12')
    return { faults, certificate: null }
  }
  const open = () => (pkcs12 === undefined ? checkPair(settings, report) : checkFile(settings, report))
  const started = process.cpuUsage()
  const opened = open()
  const takesLong = () => process.cpuUsage(started).user > SHORT_US && costOf(open) > costOf(() => rounds(MOST_ROUNDS))
  // The first time also loads what opening needs: only the second is compared.
  if (opened && takesLong())
    report(
      pkcs12 === undefined ? 'key' : 'pkcs12',
      `is protected by more than ${MOST_ROUNDS} rounds of hashing, which take too long each time; export it with fewer, such as openssl pkcs12 -export -iter 2048, or without a passphrase`,
    )
  return { faults, certificate: faults.length ? null : opened }
}

type Report = (field: TlsFault['field'], message: string) => null

function checkPair(settings: TlsSettings, report: Report): string | null {
  const { certificate, key } = settings
  const chain = certificate === undefined ? null : readChain('certificate', certificate, report)
  if (certificate === undefined) report('certificate', 'is missing: it belongs to key')
  const opened = key === undefined ? report('key', 'is missing: it belongs to certificate') : openKey(settings, report)
  if (!chain || !opened) return null
  if (!chain[0]!.checkPrivateKey(opened))
    return report('key', 'does not belong to the certificate, which must be the first in certificate')
  return contextOf(settings, 'certificate', report) && chain[0]!.toString()
}

/** Returns the certificates of a PEM text, or null if one cannot be read. */
function readChain(field: 'certificate' | 'ca', pem: string, report: Report): X509Certificate[] | null {
  const found = certificatesIn(pem)
  if (found.length === 0)
    return report(field, 'holds no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----')
  try {
    return found.map((one) => new X509Certificate(one))
  } catch {
    return report(field, 'holds a damaged certificate')
  }
}

function openKey({ key, passphrase }: TlsSettings, report: Report): KeyObject | null {
  try {
    return createPrivateKey({ key: key!, ...(passphrase !== undefined && { passphrase }) })
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (code === 'ERR_MISSING_PASSPHRASE' || (passphrase === undefined && /ENCRYPTED/.test(key!)))
      return report('passphrase', 'is missing: key is encrypted')
    if (passphrase !== undefined && /ENCRYPTED/.test(key!)) return report('passphrase', 'does not open key')
    return report('key', `is no private key in PEM, which begins with -----BEGIN PRIVATE KEY----- (${plain(message)})`)
  }
}

function checkFile(settings: TlsSettings, report: Report): string | null {
  if (settings.key !== undefined)
    return report('key', 'cannot stand beside pkcs12, which holds a key of its own; remove one of them (null)')
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(settings.pkcs12!))
    return report('pkcs12', 'is not base64; write the file as base64 -w0 client.p12 does')
  const context = contextOf(settings, 'pkcs12', report)
  if (!context) return null
  // A socket says which certificate it would show; nothing is sent.
  const socket = new TLSSocket(new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }), {
    secureContext: context,
  })
  const found = socket.getX509Certificate()
  socket.destroy()
  return found ? found.toString() : report('pkcs12', 'holds no certificate with its key')
}

function contextOf(settings: TlsSettings, field: 'certificate' | 'pkcs12', report: Report): SecureContext | null {
  try {
    return createSecureContext(secureOptions(settings))
  } catch (error) {
    const { message } = error as Error
    if (/mac verify failure/.test(message))
      return settings.passphrase === undefined
        ? report('passphrase', 'is missing: pkcs12 is encrypted')
        : report('passphrase', 'does not open pkcs12')
    if (/Unsupported PKCS12/.test(message))
      return report(
        field,
        'is encrypted in an old way (RC2 or 3DES); open it with openssl pkcs12 -legacy -in client.p12 -nodes, and give certificate and key',
      )
    if (/not enough data|wrong tag|too long|header too long/.test(message)) return report(field, 'is no PKCS#12 file')
    return report(field, `cannot be used: ${plain(message)}`)
  }
}

/** Faults of OpenSSL name what it stumbled over, never what it read. */
const plain = (message: string): string => message.replace(/^error:[0-9A-F]+:/i, '').replaceAll('::', ' ')

const rounds = (count: number): Buffer => pbkdf2Sync('passphrase', 'salt', count, 32, 'sha256')

/** Returns the time of the processor that something takes, in microseconds: the least of two times. */
function costOf(work: () => unknown): number {
  const times = [0, 1].map(() => {
    const started = process.cpuUsage()
    work()
    return process.cpuUsage(started).user
  })
  return Math.min(...times)
}
