// The certificate authorities that everything that goes out trusts besides the usual ones: steps, OAuth, sign-in, alerts, buckets, Vault.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { certificatesIn } from '../../outbound/tls/secure-options.ts'

/** Returns the certificates in a file, or the fault of the file as the rest of a sentence. */
export function readAuthorities(path: string): string[] | string {
  let found: string[]
  try {
    found = certificatesIn(readFileSync(path, 'utf8'))
  } catch (error) {
    return `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`
  }
  if (found.length === 0) return 'the file holds no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----'
  for (const [i, pem] of found.entries())
    try {
      new X509Certificate(pem)
    } catch {
      return `certificate ${i + 1} of ${found.length} in the file is damaged`
    }
  return found
}

/** Trusts them in this process from now on. */
export function trustAuthorities(certificates: readonly string[]): void {
  if (certificates.length) setDefaultCACertificates([...getCACertificates('default'), ...certificates])
}
