// Where a field of a connection is kept, if not here: `file:<name>` or `vault:<path>#<field>`.

export type OutsideReference =
  | { kind: 'file' /** The names of folders and of the file, below the folder of secrets. */; names: readonly string[] }
  | { kind: 'vault'; path: string; field: string }

const MOST_CHARS = 500
const NAME = /^[\w.-]+$/

export const isOutsideReference = (value: unknown): value is string =>
  typeof value === 'string' && (value.startsWith('file:') || value.startsWith('vault:'))

/** Returns the fault of a text that is no such reference, as the end of a sentence that begins with the field's name. */
export function parseOutsideReference(text: string): OutsideReference | string {
  if (text.length > MOST_CHARS) return `is longer than ${MOST_CHARS} characters, which no name outside of Millrace is`
  const [kind, rest] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)]
  if (kind === 'file') {
    const names = namesIn(rest)
    return names
      ? { kind, names }
      : 'must be file: and the name of a file below MILLRACE_SECRETS_DIR, such as file:shop-token'
  }
  const [path, field, ...more] = rest.split('#')
  const names = namesIn(path!)
  if (!names || names.length < 2 || !field || more.length)
    return 'must be vault:, a path with its mount, # and a field, such as vault:secret/shop#token'
  return { kind: 'vault', path: path!, field }
}

/** Returns null if the path could lead elsewhere. */
function namesIn(path: string): string[] | null {
  const names = path.split('/')
  return names.every((name) => NAME.test(name) && name !== '.' && name !== '..') ? names : null
}
