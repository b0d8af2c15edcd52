// The port to the connections: what templates read of them, and where their secrets may go.
import type { ConnectionErrorCode } from '../../base/error-catalogue.ts'

/** Why a step cannot use a connection; message and hint are for the user. */
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
  /** By name, then by field; always current, so that a changed secret counts from the next step on, in runs under way too. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /**
   * Throws OutboundError where one of the texts holds a secret whose connection does not allow this host, and where one of the
   * connections that are named does not: what came of its secret need not look like it any more.
   */
  checkHost(url: URL, texts: () => Iterable<string>, named: () => Iterable<string>): void
  /** A token that is good for a while, and stands in `fields` from then on; fails with ConnectionError. */
  accessToken(name: string): string | Promise<string>
  /** Another token in place of one that an API refused; null where there is none to be had. Fails with ConnectionError. */
  renewed(name: string, refused: string): Promise<string | null>
  /** The API refused the new token too: it has another reason, and so has no use for yet another for a while. */
  refusedAgain(name: string, token: string): void
}
