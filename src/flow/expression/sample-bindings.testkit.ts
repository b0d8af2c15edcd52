/** Sample bindings for the tests of this folder. */
import { parseTemplate } from './parse-template.ts'
import { renderValue } from './render.ts'
import type { Bindings } from './values/bindings.ts'

export function sampleBindings(roots: Record<string, unknown>): Bindings {
  return {
    roots: Object.assign(Object.create(null) as Record<string, unknown>, roots),
    now: '2026-03-04T05:06:07.089Z',
    uuid: '11111111-2222-4333-8444-555555555555',
    sha256: (text) => `sha256 of ${text}`,
    hmacSha256: (text, key) => `hmac of ${text} with ${key}`,
    hmacSha512: (text, key) => `long hmac of ${text} with ${key}`,
  }
}

/** Returns the value of one expression; `body` is `webhook.body`. */
export function evaluate(source: string, body: unknown = {}): unknown {
  return renderValue(parseTemplate(`{{ ${source} }}`), sampleBindings({ webhook: { body } }))
}

/** Returns what `run` throws. */
export function errorOf<E extends Error>(type: new (...args: never[]) => E, run: () => unknown): E {
  try {
    run()
  } catch (error) {
    if (error instanceof type) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
