// The sealed literals inside of flow documents.

export const SEALED_LITERAL = /sealed:([0-9a-f]{8})\.[\w-]{16}\.[\w-]{22,}/g

/** The document with its literals of one key sealed anew. */
export function resealDocument(text: string, keyId: string, replaced: (sealed: string) => string): string {
  return text.includes(`sealed:${keyId}.`)
    ? text.replaceAll(SEALED_LITERAL, (sealed, id) => (id === keyId ? replaced(sealed) : sealed))
    : text
}
