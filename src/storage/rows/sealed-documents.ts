// Reseals the sealed literals inside flow documents.

export const SEALED_LITERAL = /sealed:([0-9a-f]{8})\.[\w-]{16}\.[\w-]{22,}/g

/** Returns the document with the literals of one key sealed with the current key. */
export function resealDocument(text: string, keyId: string, replaced: (sealed: string) => string): string {
  return text.includes(`sealed:${keyId}.`)
    ? text.replaceAll(SEALED_LITERAL, (sealed, id) => (id === keyId ? replaced(sealed) : sealed))
    : text
}
