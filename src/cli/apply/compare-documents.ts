// Compares a file's document with the draft on the server, except for secrets, which the server never shows.
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../base/is-object.ts'
import { SEALED_PREFIX } from '../../base/sealed-prefix.ts'
import type { Kinds } from '../../flow/document.ts'
import { formatFlowYaml } from '../../flow/flow-text.ts'
import { mapSecrets } from '../../flow/secret-literals.ts'

export interface Comparison {
  isSame: boolean
  /** As YAML, with the keys in the order of the file. */
  server: string
  file: string
  /** The number of secrets in the file, which cannot be compared with those on the server. */
  untold: number
}

const HIDDEN = '(a secret typed into the file)'

export function compareDocuments(file: unknown, server: unknown, kinds: Kinds): Comparison {
  const literals = new Set<string>()
  const shown = mapSecrets(plain(file), kinds, (literal, path) => {
    if (literal.startsWith(SEALED_PREFIX)) return literal
    literals.add(path)
    return HIDDEN
  })
  const there = mapSecrets(plain(server), kinds, (literal, path) =>
    literal.startsWith(SEALED_PREFIX) && literals.has(path) ? HIDDEN : literal,
  )
  return {
    isSame: isDeepStrictEqual(plain(shown), plain(there)),
    server: formatFlowYaml(inOrderOf(shown, there)),
    file: formatFlowYaml(shown),
    untold: literals.size,
  }
}

/** As the API takes it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

/** The second with its keys in the order of the first. */
function inOrderOf(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second)) return second.map((item, i) => inOrderOf(first[i], item))
  if (!isObject(first) || !isObject(second)) return second
  const keys = [...Object.keys(first).filter((key) => Object.hasOwn(second, key)), ...Object.keys(second)]
  return Object.fromEntries([...new Set(keys)].map((key) => [key, inOrderOf(first[key], second[key])]))
}
