// Makes text from a server or a file safe to show: names and messages can hold control sequences of a terminal.

/** Control characters but for line breaks and tabs, and those that reorder or break lines: what is read is what is there. */
const UNSEEN = /(?![\n\t])[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu

/** Replaces each such character with a picture of it. */
export const visible = (text: string): string => text.replace(UNSEEN, pictureOf)

/** For a cell or a field: a name cannot add rows. */
export const inOneLine = (text: string): string => text.replace(/[\n\t]/g, pictureOf)

/** JSON with the same meaning, in which no such character stands as it is. */
export const visibleJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(UNSEEN, escapeOf)

const pictureOf = (character: string): string => {
  const code = character.charCodeAt(0)
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd'
}

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
