import type { LoadedFile } from './needs-file.ts'

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
  'config',
  'connections',
  'run',
  'flow',
  'error',
  'failed',
  'schedule',
  'callbacks',
  'callback',
]

/** The roots that only the files of senders can read, beside `webhook`. */
const SENDER_ROOTS: readonly string[] = ['fields', 'url', 'signature']

export const isRoot = (name: string): boolean => ROOTS.includes(name) || SENDER_ROOTS.includes(name)

export interface Bindings {
  /** A null-prototype object from root names to JSON data; a root that is absent is missing. */
  roots: Readonly<Record<string, unknown>>
  now: string
  uuid: string
  sha256(text: string): string
  hmacSha256(text: string, key: string): string
  hmacSha512(text: string, key: string): string
  /** The files that were loaded because the expression reads them, by their id. */
  files?: ReadonlyMap<string, LoadedFile> | null
}
