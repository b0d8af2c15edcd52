// Makes and recognizes what stands for a file in a flow.
import { isObject } from '../../base/is-object.ts'
import type { FileValue } from '../ports/files.ts'

const LONGEST_NAME_BYTES = 255
/** Control characters, and those that turn the direction of writing, by which `exe.pdf` is shown where `fdp.exe` stands. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/
const CHARSET = /;[ \t]*charset="?([\w.:-]{1,40})"?/i

export const UNKNOWN_TYPE = 'application/octet-stream'

const FILE_ID = /^blob_[0-9A-Za-z_]{1,80}$/

export const isFileId = (id: unknown): id is string => typeof id === 'string' && FILE_ID.test(id)

/** Returns whether a value says that it is a file. Only opening it tells whether the run has it. */
export const isFileValue = (value: unknown): value is FileValue =>
  isObject(value) && Object.hasOwn(value, 'file') && isFileId(value['file'])

/** Returns the last part of a path in a form that harms nobody; null if nothing is left. */
export function fileName(given: string | null | undefined): string | null {
  if (!given) return null
  const bare = given
    .slice(-4 * LONGEST_NAME_BYTES)
    .replaceAll(UNSEEN, '')
    .toWellFormed()
  const name = bare.slice(Math.max(bare.lastIndexOf('/'), bare.lastIndexOf('\\')) + 1).trim()
  return name === '' || name === '.' || name === '..' ? null : shortened(name)
}

/** Keeps the end, which tells the kind of file. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST_NAME_BYTES) return name
  const characters = Array.from(name)
  let bytes = 0
  let at = characters.length
  while (at > 0 && bytes + Buffer.byteLength(characters[at - 1]!) <= LONGEST_NAME_BYTES)
    bytes += Buffer.byteLength(characters[--at]!)
  return characters.slice(at).join('')
}

/** Returns the media type with its charset, and no other parameter. */
export function fileType(given: string | null | undefined): string {
  const type = (given ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (!MEDIA_TYPE.test(type)) return UNKNOWN_TYPE
  const charset = CHARSET.exec(given!)?.[1]
  return charset ? `${type}; charset=${charset.toLowerCase()}` : type
}

/** Returns the name that a Content-Disposition gives, `filename*` (RFC 8187) before `filename`. */
export function dispositionName(header: string | null | undefined): string | null {
  if (!header) return null
  const extended = /;[ \t]*filename\*[ \t]*=[ \t]*utf-8'[^']*'([^;\s"]+)/i.exec(header)?.[1]
  if (extended !== undefined) {
    try {
      return fileName(decodeURIComponent(extended))
    } catch {
      // It is no percent-encoded UTF-8: the plain name counts.
    }
  }
  const plain = /;[ \t]*filename[ \t]*=[ \t]*(?:"((?:\\.|[^"\\])*)"|([^;\s"]+))/i.exec(header)
  const text = plain?.[1] === undefined ? plain?.[2] : plain[1].replaceAll(/\\(.)/g, '$1')
  // Headers arrive as Latin-1, but most senders write UTF-8.
  return text === undefined ? null : fileName(asUtf8(text))
}

function asUtf8(text: string): string {
  if (!/[\u0080-\u00ff]/.test(text)) return text
  const utf8 = Buffer.from(text, 'latin1').toString('utf8')
  return utf8.includes('\ufffd') ? text : utf8
}
