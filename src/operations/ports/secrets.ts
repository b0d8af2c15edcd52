// Secrets: sealed where they are kept, hidden where they are shown.

/** Seals texts for the places that they are bound to. */
export interface Sealing {
  seal(plain: string, binding: string): string
  /** null: it was sealed for another place or with a key that is not known, or it was changed. */
  unseal(sealed: string, binding: string): string | null
}

/** Secrets typed into flows, and the hiding of every secret that is known. */
export interface Secrets {
  /** Sealed for this flow; known, and hidden everywhere, from here on. */
  seal(literal: string, flowId: string): string
  /** null: it was sealed for another flow, or with a key that is gone. */
  unseal(sealed: string, flowId: string): string | null
  /** The secrets that a source, such as a connection, has now; those it had before stay hidden while runs may hold them. */
  setSource(source: string, values: readonly string[]): void
  /** Lets go of former secrets that no run has held since before that time. */
  forget(before: number): void
  /** Finds these values, in whatever form, in the texts that it is given. */
  finder(values: readonly string[]): (text: string) => boolean
  /** A flow names these sources: `connection:<name>`, `env:<NAME>`, or `env:*` for all of the environment. */
  touch(flowId: string, sources: Iterable<string>): void
  /** Of a flow: a secret that it can have to do with. */
  holds(text: string, flowId?: string): boolean
  /**
   * The same value with its secrets hidden; the same reference where it has none. Of a flow: the secrets that it can have to do
   * with. To hide others would tell who sends guesses which of them is right.
   */
  redact<T>(value: T, flowId?: string): T
  /** As `redact`, for who sent that request: what stands in it is not hidden. */
  redactReply<T>(value: T, flowId: string, request: () => string): T
}

/** For stores: what may be kept in the clear, and how to keep the rest. */
export interface Protect {
  /** The same for what is of a flow: only the secrets that it can have to do with are hidden. */
  of(flowId: string): Protect
  /** The text with its secrets hidden; the same text where it has none. */
  text(text: string): string
  /** As `text`, and JSON stays JSON. */
  json(text: string): string
  /**
   * `binding` names the row: sealed text that was moved to another one cannot be revealed. The secrets in it are sealed with
   * it, and hidden again once it is revealed, also those that have been changed or removed since.
   */
  seal(json: string, binding: string): string
  reveal(sealed: string, binding: string): string
}
