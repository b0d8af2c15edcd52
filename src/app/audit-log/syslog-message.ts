// An entry of the audit log as a message of syslog (RFC 5424).
import { lineOf, type StoredEntry } from '../../operations/ports/audit-log/chain.ts'

/** Facility 13 (log audit), severity notice, or warning for what was refused. */
const NOTICE = 13 * 8 + 5
const WARNING = 13 * 8 + 4
const REFUSED = new Set(['token.refused', 'user.sign_in_failed'])
/** RFC 5612 keeps this number for those who have none of their own. */
const STRUCTURED_DATA_ID = 'millrace@32473'
const BOM = '\u{feff}'

/** Returns printable ASCII without spaces, as the header needs it. */
const headerText = (text: string, longest: number): string => text.replaceAll(/[^!-~]/g, '').slice(0, longest) || '-'

const LONGEST_VALUE = 500

/** Escapes what would end a value, and leaves nothing that could begin a line. */
const parameter = (name: string, value: string | number | null | undefined): string => {
  if (value === null || value === undefined) return ''
  const text = String(value).slice(0, LONGEST_VALUE).toWellFormed()
  return ` ${name}="${text.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/["\\\]]/g, '\\$&')}"`
}

/** `mostBytes`: what the way there takes; the text of a longer message is cut, at the end of a character. */
export function syslogMessage(entry: StoredEntry, host: string, processId: number, mostBytes: number): Buffer {
  const { id, at, actor, action, target, chain, seq, hash } = entry
  const priority = REFUSED.has(action) ? WARNING : NOTICE
  const header = `<${priority}>1 ${new Date(at).toISOString()} ${headerText(host, 255)} millrace ${processId} ${headerText(action, 32)}`
  const parameters = [
    parameter('id', id),
    parameter('chain', chain),
    parameter('seq', seq),
    parameter('hash', hash),
    parameter('actor', actor),
    parameter('action', action),
    parameter('targetKind', target?.kind),
    parameter('target', target?.id),
  ]
  const message = Buffer.from(`${header} [${STRUCTURED_DATA_ID}${parameters.join('')}] ${BOM}${lineOf(entry)}`)
  if (message.length <= mostBytes) return message
  let end = mostBytes
  // Bytes that continue a character begin with the bits 10.
  while ((message[end]! & 0xc0) === 0x80) end--
  return message.subarray(0, end)
}
