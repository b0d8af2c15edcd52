// The characters that the parts of an outbound request may have; imports obey these rules, and publishing checks them.
import { isHeaderName } from './reply-header.ts'

/** The client writes these headers itself; a second one would let two servers read one message differently. */
const WRITTEN_BY_CLIENT = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'expect',
])

export const isWrittenByClient = (name: string): boolean => WRITTEN_BY_CLIENT.has(name.toLowerCase())

const NOT_IN_HEADER = /[^\t\x20-\x7e\x80-\xff]/

/** Returns the first character that a header value cannot carry. */
export const unfitForHeader = (value: string): string | null => NOT_IN_HEADER.exec(value)?.[0] ?? null

/** Returns whether a name or value of a query contains a line break or NUL. */
export const hasBreak = (text: string): boolean => /[\r\n\0]/.test(text)

// RFC 3986 without the square brackets, which many APIs use raw in query names.
const NOT_IN_URL = /[^!#-;=?-[\]_a-z~]|%(?![0-9A-Fa-f]{2})/gu

/** Escapes the characters that a URL cannot contain; existing escapes stay. */
export const escapedUrl = (text: string): string => text.toWellFormed().replaceAll(NOT_IN_URL, encodeURIComponent)

export const isMediaTypeName = (type: string): boolean => {
  const [name = '', ...rest] = type.split(';', 1)[0]!.trimEnd().split('/')
  return rest.length === 1 && isHeaderName(name) && isHeaderName(rest[0]!) && unfitForHeader(type) === null
}
