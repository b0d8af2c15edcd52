// The field `tls` of a connection holds readable and secret parts. Where each is a field of its own, it is called `tls.key`.
import { isObject } from './is-object.ts'

type Fields = Record<string, unknown>

const PREFIX = 'tls.'

export const isTlsPart = (field: string): boolean => field.startsWith(PREFIX)
export const tlsField = (part: string): string => PREFIX + part
export const tlsPart = (field: string): string => field.slice(PREFIX.length)

/** Returns the fields with the parts of `tls` as fields of their own. A custom connection may have a text of that name. */
export function spreadTls(fields: Fields): Fields {
  const { tls, ...others } = fields
  if (!isObject(tls)) return fields
  return { ...others, ...Object.fromEntries(Object.entries(tls).map(([part, value]) => [tlsField(part), value])) }
}

/** Returns the fields with the parts of `tls` in one. */
export function gatherTls(fields: Fields): Fields {
  const entries = Object.entries(fields)
  const parts = entries.filter(([name]) => isTlsPart(name)).map(([name, value]) => [tlsPart(name), value])
  if (parts.length === 0) return fields
  return { ...Object.fromEntries(entries.filter(([name]) => !isTlsPart(name))), tls: Object.fromEntries(parts) }
}
