// Reads the head of a part of a form: the name of its field, the name of its file and its type.
import { isUtf8 } from 'node:buffer'

export interface PartHead {
  field: string
  /** Undefined: the part is no file. */
  filename: string | undefined
  contentType: string | null
}

const MOST_LINES = 20
const FORM_DATA = /^form-data[ \t]*(?=;|$)/i
/** A parameter; what follows a backslash other than a quote is kept as it is, because old browsers send paths. */
const PARAMETER = /;[ \t]*([\w!#$&^.+-]+\*?)[ \t]*=[ \t]*(?:"((?:\\"|[^"])*)"|([^\s;"]*))[ \t]*/y

/** Returns null if it is no head of a part of a form. */
export function readPartHead(bytes: Buffer): PartHead | null {
  const lines = (isUtf8(bytes) ? bytes.toString() : bytes.toString('latin1')).split('\r\n', MOST_LINES + 1)
  if (lines.length > MOST_LINES) return null
  let disposition: string | null = null
  let contentType: string | null = null
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 1 || /[\r\n\0]/.test(line)) return null
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    if (name === 'content-disposition') {
      if (disposition !== null) return null
      disposition = value
    } else if (name === 'content-type') contentType ??= value
  }
  const parameters = disposition === null ? null : parametersOf(disposition)
  const field = parameters?.get('name')
  if (!parameters || field === undefined) return null
  const filename = extended(parameters.get('filename*')) ?? parameters.get('filename')
  const isFile = filename !== undefined || contentType?.toLowerCase() === 'application/octet-stream'
  return { field, filename: isFile ? (filename ?? '') : undefined, contentType }
}

function parametersOf(disposition: string): Map<string, string> | null {
  const kind = FORM_DATA.exec(disposition)
  if (!kind) return null
  const found = new Map<string, string>()
  PARAMETER.lastIndex = kind[0].length
  while (PARAMETER.lastIndex < disposition.length) {
    const match = PARAMETER.exec(disposition)
    if (!match) return null
    const [, name, quoted, bare] = match
    const key = name!.toLowerCase()
    // Two names could be read differently by whoever looks at the form before or after.
    if (found.has(key)) return null
    found.set(key, quoted === undefined ? bare! : unquoted(quoted))
  }
  return found
}

/** Browsers escape quotes and line breaks with a percent sign, other clients quotes with a backslash. */
const unquoted = (text: string): string =>
  text.replaceAll('\\"', '"').replaceAll('%22', '"').replaceAll(/%0a/gi, '\n').replaceAll(/%0d/gi, '\r')

/** RFC 8187; RFC 7578 does not want it in forms, but some clients send it. */
function extended(value: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1]
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
