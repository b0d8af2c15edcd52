// The senders that a trigger can name: how they are found, and what a trigger says of its own.
import type { Sender } from '../../api/api-types.ts'
import { isObject } from '../is-object.ts'

/** Returns the name of the trigger's sender, or null. */
export function senderNameOf({ sender }: Record<string, unknown>): string | null {
  const name = isObject(sender) ? sender['name'] : undefined
  return typeof name === 'string' ? name : null
}

/** Returns the sender that this name or alias means. */
export const senderCalled = (senders: readonly Sender[], name: string | null): Sender | null =>
  senders.find((sender) => sender.name === name || (name !== null && sender.aliases.includes(name))) ?? null

/** How well a sender fits what was typed: the smaller the better, null: not at all. */
function rankOf({ title, name, aliases, words }: Sender, typed: string): number | null {
  const begins = (text: string) => text.toLowerCase().startsWith(typed)
  if (begins(title) || begins(name)) return 0
  if (aliases.some(begins)) return 1
  if (title.split(/\s+/).some(begins)) return 2
  if (words.some(begins)) return 3
  return [title, ...aliases, ...words].some((text) => text.toLowerCase().includes(typed)) ? 4 : null
}

/** Returns those that fit, the best first; all of them by title if nothing is typed. */
export function findSenders(senders: readonly Sender[], typed: string): Sender[] {
  const wanted = typed.trim().toLowerCase()
  const byTitle = senders.toSorted((a, b) => a.title.localeCompare(b.title, 'en'))
  if (wanted === '') return byTitle
  return byTitle
    .map((sender) => ({ sender, rank: rankOf(sender, wanted) }))
    .filter(({ rank }) => rank !== null)
    .toSorted((a, b) => a.rank! - b.rank!)
    .map(({ sender }) => sender)
}

/** Returns what the trigger begins with when this sender is chosen. What the sender hands over goes into a connection of its name. */
export function blankSender({ name, fields }: Sender): Record<string, unknown> {
  const handed = fields.filter(({ fromHandshake }) => fromHandshake)
  return {
    name,
    ...Object.fromEntries(handed.map((field) => [field.name, `{{ connections.${wordOf(name)}.${field.name} }}`])),
  }
}

/** The name of a connection that a template can read without brackets. */
const wordOf = (name: string): string => name.replaceAll(/[^a-z0-9]+/g, '_')

/** Returns the connection and field that a template names, if it is nothing else. */
export function connectionField(template: unknown): { connection: string; field: string } | null {
  const [, connection, field] = /^\{\{\s*connections\.(\w+)\.(\w+)\s*\}\}$/.exec(String(template)) ?? []
  return connection && field ? { connection, field } : null
}
