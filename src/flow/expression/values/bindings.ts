/** The value of a reference that does not exist. */
export const MISSING: unique symbol = Symbol('missing')

export const ROOTS: readonly string[] = [
  'webhook',
  'input',
  'steps',
  'vars',
  'loop',
  'loops',
  'env',
  'connections',
  'run',
  'flow',
  'error',
  'failed',
  'schedule',
  'callbacks',
  'callback',
]

export interface Bindings {
  /** A null-prototype object from root names to JSON data; a root that is absent is missing. */
  roots: Readonly<Record<string, unknown>>
  now: string
  uuid: string
  sha256(text: string): string
  hmacSha256(text: string, key: string): string
}
