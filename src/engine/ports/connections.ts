// The port to the connections: which fields templates can read, and which hosts may receive their secrets.
import type { ConnectionErrorCode } from '../../base/error-catalogue.ts'
import type { TlsIdentity } from './tls.ts'

/** Says why a step cannot use a connection. Message and hint are for the user. */
export class ConnectionError extends Error {
  readonly code: ConnectionErrorCode
  readonly connection: string
  readonly hint: string
  constructor(code: ConnectionErrorCode, connection: string, message: string, hint: string) {
    super(message)
    this.code = code
    this.connection = connection
    this.hint = hint
  }
}

/** What a connection puts on a request. */
export type Credential =
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'apiKey'; name: string; value: string; in?: 'header' | 'query' }
  | TokenCredential
  | DigestCredential
  | AwsCredential
  /** TLS shows it; the request has nothing of it. */
  | { kind: 'certificate' }

/** An access token; a new one replaces it when an API refuses it. */
export interface TokenCredential {
  kind: 'token'
  token: string
}

export interface DigestCredential {
  kind: 'digest'
  username: string
  password: string
  /** What servers asked for last, by origin, so that not every request has to be refused first. */
  challenges: Map<string, KnownChallenge>
}

/** A challenge of RFC 7616, with the values as the header has them, without quotes. */
export interface DigestChallenge {
  realm: string
  nonce: string
  opaque: string | null
  /** As the server writes it; null if it says none, which means MD5. */
  algorithm: string | null
  /** null for a server of RFC 2069. */
  qop: 'auth' | 'auth-int' | null
  userhash: boolean
  /** Whether only the nonce of the last request was too old. */
  stale: boolean
}

export interface KnownChallenge {
  challenge: DigestChallenge
  /** How many requests were signed with its nonce. */
  uses: number
}

export interface AwsCredential {
  kind: 'aws'
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string | null
  region: string
  service: string
}

export interface Connections {
  /** The fields by connection, then name; always current: a changed secret counts from the next step, in active runs too. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /**
   * Throws OutboundError if a text holds a secret whose connection does not allow this host, or if a named connection does
   * not allow it: a value derived from a secret may no longer resemble the secret.
   */
  checkHost(url: URL, texts: () => Iterable<string>, named: () => Iterable<string>): void
  /**
   * Before the flow reads fields of these connections: checks that they are for it, and reads what they keep elsewhere, if that
   * is due; null if there is nothing to wait for. `flowId`: null if no flow uses them. Fails with ConnectionError.
   */
  fresh(names: readonly string[], flowId: string | null): Promise<void> | null
  /** Returns the TLS settings of a connection, current like `fields`; null if it has none. Checks and fails as `fresh` does. */
  tls(name: string, flowId: string | null): TlsIdentity | null | Promise<TlsIdentity | null>
  /** Returns what the connection sends as a whole. Checks and fails as `fresh` does. */
  credential(name: string, flowId: string | null): Credential | Promise<Credential>
  /** Returns a token that stays valid for a while and also updates `fields`. Fails with ConnectionError. */
  accessToken(name: string): string | Promise<string>
  /** Returns a new token in place of one that an API refused, or null if there is none. Fails with ConnectionError. */
  renewed(name: string, refused: string): Promise<string | null>
  /** Notes that the API refused the new token too. The token is not the cause, so none is fetched for a while. */
  refusedAgain(name: string, token: string): void
}
