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

export interface Connections {
  /** The fields by connection, then name; always current: a changed secret counts from the next step, in active runs too. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /**
   * Throws OutboundError if a text holds a secret whose connection does not allow this host, or if a named connection does
   * not allow it: a value derived from a secret may no longer resemble the secret.
   */
  checkHost(url: URL, texts: () => Iterable<string>, named: () => Iterable<string>): void
  /** Reads what these connections keep elsewhere, if that is due; null if there is nothing to wait for. Fails with ConnectionError. */
  fresh(names: readonly string[]): Promise<void> | null
  /** Returns the TLS settings of a connection, current like `fields`; null if it has none. Fails with ConnectionError. */
  tls(name: string): TlsIdentity | null | Promise<TlsIdentity | null>
  /** Returns a token that stays valid for a while and also updates `fields`. Fails with ConnectionError. */
  accessToken(name: string): string | Promise<string>
  /** Returns a new token in place of one that an API refused, or null if there is none. Fails with ConnectionError. */
  renewed(name: string, refused: string): Promise<string | null>
  /** Notes that the API refused the new token too. The token is not the cause, so none is fetched for a while. */
  refusedAgain(name: string, token: string): void
}
