// The TLS settings of a connection: the fields of the kind `tls`, and the field `tls` of all other kinds. In a record the parts of
// the field are fields of their own (base/tls-parts.ts), because some of them are secret.
import { createHash, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { isTlsPart, spreadTls, tlsField } from '../../base/tls-parts.ts'
import type { CertificateFacts, TlsIdentity, TlsSettings } from '../../engine/ports/tls.ts'
import type { ConnectionRecord } from '../ports/connections.ts'
import type { Check, Rule } from './connection-rule.ts'
import { allows, parseHostRule } from './host-rules.ts'

type Fields = Record<string, unknown>

const MAX_PEM_LENGTH = 65_536
const MAX_SECRET_LENGTH = 32_768
const NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i

const textOf =
  (most: number): Check =>
  (value) => {
    if (typeof value !== 'string') return 'must be text'
    if (value.length > most) return `is longer than ${most} characters`
    return value === '' ? 'is empty' : null
  }
const version: Check = (value) =>
  value === 'TLSv1.2' || value === 'TLSv1.3' ? null : 'must be one of TLSv1.2, TLSv1.3'
const serverName: Check = (value) =>
  typeof value === 'string' && NAME.test(value) && !isIP(value) ? null : 'must be a host name, such as api.example.com'

/** What openTls says of the parts together is checked when a connection is saved. */
export const TLS_RULES: Record<keyof TlsSettings, Rule> = {
  certificate: { check: textOf(MAX_PEM_LENGTH) },
  key: { check: textOf(MAX_SECRET_LENGTH), secret: true },
  pkcs12: { check: textOf(MAX_SECRET_LENGTH), secret: true },
  passphrase: { check: textOf(1_000), secret: true },
  ca: { check: textOf(MAX_PEM_LENGTH) },
  minVersion: { check: version },
  serverName: { check: serverName },
}
const PARTS = Object.keys(TLS_RULES) as (keyof TlsSettings)[]

/** The same rules for the field `tls` of other kinds. */
export const TLS_FIELD_RULES: Record<string, Rule> = Object.fromEntries(
  PARTS.map((part) => [tlsField(part), TLS_RULES[part]]),
)

/**
 * Returns all fields after a change: what it leaves out of the readable ones is gone, and a secret stays. The field `tls`, which
 * holds both, stays as a whole if it is left out, and null removes it.
 */
export function changed(current: ConnectionRecord, given: Fields | undefined): Fields {
  const kept: Fields = { ...current.secrets, ...current.outside }
  if (given === undefined) return { ...kept, ...current.fields }
  const only = (fields: Fields, holds: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => holds(name)))
  if (given['tls'] === null) return { ...only(kept, (name) => !isTlsPart(name)), ...given }
  const before = given['tls'] === undefined ? only(current.fields, isTlsPart) : {}
  return { ...kept, ...before, ...spreadTls(given) }
}

/** Returns the TLS settings among these fields; null if there are none. */
export function tlsOf(kind: string, values: Fields): TlsSettings | null {
  const settings: Record<string, unknown> = {}
  for (const part of PARTS) {
    const value = values[partName(kind, part)]
    if (value !== undefined) settings[part] = value
  }
  return Object.keys(settings).length ? (settings as TlsSettings) : null
}

/** Returns the name of a part as a field of such a connection. */
export const partName = (kind: string, part: keyof TlsSettings): string => (kind === 'tls' ? part : tlsField(part))

/** Returns null for a text that is no certificate. */
export function certificateFacts(pem: string | undefined): CertificateFacts | null {
  if (pem === undefined) return null
  try {
    const { subject, issuer, validFromDate, validToDate } = new X509Certificate(pem)
    const line = (name: string) => name.replaceAll('\n', ', ')
    return {
      subject: line(subject),
      issuer: line(issuer),
      validFrom: validFromDate.getTime(),
      expiresAt: validToDate.getTime(),
    }
  } catch {
    return null
  }
}

/** `certificate`: the one in a PKCS#12 file that is kept elsewhere. */
export function identityOf(
  { name, kind, hosts }: ConnectionRecord,
  values: Fields,
  certificate: string | undefined,
): TlsIdentity | null {
  const settings = tlsOf(kind, values)
  if (!settings) return null
  const rules = hosts.map((host) => parseHostRule(host)!)
  return {
    connection: name,
    digest: createHash('sha256')
      .update(JSON.stringify([name, settings]))
      .digest('base64url'),
    settings,
    certificate: certificateFacts(certificate ?? settings.certificate),
    // Where no host is named, it stays with the one that the flow calls, like every credential.
    mayFollow: (url) => allows(rules, url),
  }
}
