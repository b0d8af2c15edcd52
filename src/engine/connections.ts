// The port to the connections: what templates read of them, and where their secrets may go.

export interface Connections {
  /** By name, then by field; always current, so that a changed secret counts from the next step on, in runs under way too. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Throws OutboundError where one of the texts holds a secret whose connection does not allow this host. */
  checkHost(url: URL, texts: () => Iterable<string>): void
}
