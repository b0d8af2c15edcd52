// What a field of a connection may hold.

/** Returns a field's fault as the end of a sentence that begins with the field's name; null if there is none. */
export type Check = (value: unknown, fields: Record<string, unknown>) => string | null

export interface Rule {
  secret?: true
  /** Turns what a form or the command line gives, a text, into the value. */
  read?: (given: unknown) => unknown
  check: Check
  default?: string
  /** Whether the connection is useless without the field. */
  required?: boolean | ((fields: Record<string, unknown>) => boolean)
}
