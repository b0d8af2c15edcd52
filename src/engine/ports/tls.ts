// How a connection wants TLS done: who we are, whom we trust. The HTTP client takes it with a request.

export interface TlsSettings {
  /** PEM: the client certificate, and those between it and its authority. */
  certificate?: string
  /** PEM: the private key of the certificate. */
  key?: string
  /** Base64: certificate and key in one file. */
  pkcs12?: string
  /** Opens `key` or `pkcs12`. */
  passphrase?: string
  /** PEM: the authorities that are trusted in place of the usual ones. */
  ca?: string
  minVersion?: 'TLSv1.2' | 'TLSv1.3'
  /** The name that the server is asked for, and that its certificate must have, in place of the host in the URL. */
  serverName?: string
}

export interface CertificateFacts {
  subject: string
  issuer: string
  validFrom: number
  expiresAt: number
}

export interface TlsIdentity {
  /** The name of the connection. */
  readonly connection: string
  /** Differs if the connection or anything in its settings differs. */
  readonly digest: string
  readonly settings: TlsSettings
  /** null: it has no client certificate. */
  readonly certificate: CertificateFacts | null
  /** Returns whether a redirect to another origin may take it along. */
  mayFollow(url: URL): boolean
}

/** Says what is wrong with the client certificate that a server refused, or with not having one. */
export function refusalCause(identity: TlsIdentity | null, now: number): { why: string; hint: string } {
  if (!identity?.certificate)
    return {
      why: 'it demands a client certificate, and none was sent',
      hint: identity
        ? `Add certificate and key, or pkcs12, to the TLS settings of the connection "${identity.connection}".`
        : 'Name a connection with a client certificate in the setting tls of the step.',
    }
  const { connection, certificate } = identity
  const { subject, issuer, validFrom, expiresAt } = certificate
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const whose = `the client certificate of the connection "${connection}" (${subject})`
  if (expiresAt <= now)
    return {
      why: `${whose} expired on ${day(expiresAt)}`,
      hint: `Set a new certificate and key in the connection "${connection}".`,
    }
  if (validFrom > now)
    return {
      why: `${whose} is valid from ${day(validFrom)} on`,
      hint: 'Wait until then, or check the clock of this machine.',
    }
  return {
    why: `it does not accept ${whose}, issued by ${issuer}`,
    hint: `Check with the operator of the API which authority has to issue it, and set that certificate in the connection "${connection}".`,
  }
}

/** nginx takes the handshake, and answers with one of these pages. */
const REFUSED = /No required SSL certificate was sent|The SSL certificate error/

/** Returns whether a reply says that the server refuses the client certificate, or misses one. */
export const refusesCertificate = (status: number, body: unknown): boolean =>
  status === 400 && typeof body === 'string' && REFUSED.test(body)
