// Turns the TLS settings of a connection into those of Node.
import type { SecureContextOptions } from 'node:tls'
import type { TlsSettings } from '../../engine/ports/tls.ts'

export const secureOptions = (settings: TlsSettings): SecureContextOptions => {
  const { certificate, key, pkcs12, passphrase, ca, minVersion } = settings
  return {
    // A PKCS#12 file holds the certificate too; what is beside it is for reading.
    ...(pkcs12 === undefined
      ? { ...(certificate !== undefined && { cert: certificate }), ...(key !== undefined && { key }) }
      : { pfx: Buffer.from(pkcs12, 'base64') }),
    ...(passphrase !== undefined && { passphrase }),
    ...(ca !== undefined && { ca }),
    ...(minVersion !== undefined && { minVersion }),
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** Returns the certificates of a PEM text, one by one. */
export const certificatesIn = (pem: string): string[] => pem.match(CERTIFICATE) ?? []
