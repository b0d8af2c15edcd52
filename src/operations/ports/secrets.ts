// The port to secrets, which are sealed in the store and hidden in everything shown.

/** Seals texts for the places that they are bound to. */
export interface Sealing {
  seal(plain: string, binding: string): string
  /** Returns null if the text was sealed for another place or with an unknown key, or was changed. */
  unseal(sealed: string, binding: string): string | null
}

/** Reads the secrets that are kept outside of Millrace. */
export interface OutsideSecrets {
  /** Returns the value if it was read within the last minute. */
  known(reference: string): string | null
  /** Rejects with an Error whose message, for the user, says what is wrong. */
  read(reference: string): Promise<string>
}

/** Seals secrets typed into flows, and hides every known secret. */
export interface Secrets {
  /** Seals a literal for this flow. From then on it is known, and hidden everywhere. */
  seal(literal: string, flowId: string): string
  /** Returns null if the text was sealed for another flow, or with a key that is gone. */
  unseal(sealed: string, flowId: string): string | null
  /** Sets the current secrets of a source, such as a connection. Its former secrets stay hidden while runs may hold them. */
  setSource(source: string, values: readonly string[]): void
  /** Forgets former secrets that no run has held since `before`. */
  forget(before: number): void
  /** Returns a function that finds these values, in any encoding, in a text. */
  finder(values: readonly string[]): (text: string) => boolean
  /** Notes the sources that a flow names: `connection:<name>`, `env:<NAME>`, or `env:*` for the whole environment. */
  touch(flowId: string, sources: Iterable<string>): void
  /** Returns whether the text holds a secret; with `flowId`, one that the flow has access to. */
  holds(text: string, flowId?: string): boolean
  /**
   * Returns the value with its secrets hidden, or the same reference if it has none. With `flowId`, hides only the secrets
   * that the flow has access to: hiding others would confirm a sender's guesses.
   */
  redact<T>(value: T, flowId?: string): T
  /** Does what `redact` does for the sender of `request`: values in the request are not hidden. */
  redactReply<T>(value: T, flowId: string, request: () => string): T
}

/** Tells stores what may be stored readably, and seals the rest. */
export interface Protect {
  /** Returns a Protect for a flow's data, which hides only the secrets that the flow has access to. */
  of(flowId: string): Protect
  /** Returns the text with its secrets hidden, or the same text if it has none. */
  text(text: string): string
  /** Does what `text` does and keeps JSON valid. */
  json(text: string): string
  /**
   * Seals text for the row that `binding` names: it cannot be revealed in another row. The secrets in it are sealed too, and
   * are hidden again once the text is revealed, even if they have been changed or removed since.
   */
  seal(json: string, binding: string): string
  reveal(sealed: string, binding: string): string
}
