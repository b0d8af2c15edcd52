// Checks what a trigger says about its sender against the file of that sender.
import type { IssueCode } from '../../base/error-catalogue.ts'
import { isObject } from '../../base/is-object.ts'
import { tryTemplate } from '../expression/index.ts'
import { nearest, quoted } from '../issue.ts'
import { FIELD_NAMES, type Sender, type Senders } from './schema.ts'

type Report = (path: string, code: IssueCode, message: string) => void

/** `hasOwnAuth`: the trigger says itself how senders prove themselves, so that nothing else is needed for that. */
export function checkSender(sender: unknown, senders: Senders, hasOwnAuth: boolean, report: Report): void {
  if (!isObject(sender) || typeof sender['name'] !== 'string' || sender['name'] === '') return
  const file = senders.find(sender['name'])
  if (!file) {
    report('/sender/name', 'unknown_value', unknown(sender['name'], senders))
    return
  }
  for (const { name, label, hint, optional, fromHandshake } of file.fields) {
    const path = `/sender/${name}`
    if (fromHandshake && keptIn(sender[name]) === null && !hasOwnAuth)
      report(
        path,
        Object.hasOwn(sender, name) ? 'invalid_format' : 'missing',
        `${file.title} hands over its ${label} itself: name the field of a connection that will keep it, such as {{ connections.${connectionNameOf(file.name)}.${name} }}.`,
      )
    else if (!optional && !fromHandshake && !hasOwnAuth && !Object.hasOwn(sender, name))
      report(path, 'missing', `${name} is missing: the ${label} of ${file.title} (${hint}).`)
  }
  for (const name of FIELD_NAMES)
    if (Object.hasOwn(sender, name) && !file.fields.some((field) => field.name === name))
      report(`/sender/${name}`, 'unknown_key', `${file.title} needs no ${name}; remove it.`)
}

const connectionNameOf = (sender: string): string => sender.replaceAll('-', '_')

function unknown(name: string, senders: Senders): string {
  const known = senders.names()
  const near = nearest(name, known)
  const start = name.toLowerCase().slice(0, 3)
  const alike = known.filter((one) => one === near || one.startsWith(start)).slice(0, 3)
  const hint = alike.length ? `; did you mean ${alike.map((one) => `"${one}"`).join(' or ')}?` : '.'
  return `There is no sender ${quoted(name)}${hint} The list of senders is in the guide and at GET /api/v1/senders.`
}

/** Returns the field of a connection that a text names and nothing else; null if it does not. */
export function keptIn(text: unknown): { connection: string; field: string } | null {
  const template = typeof text === 'string' ? tryTemplate(text) : null
  if (template === null || template instanceof Error || template.parts.length !== 1) return null
  const [part] = template.parts
  if (typeof part !== 'object' || part.references.length !== 1) return null
  const [root, connection, field, more] = part.references[0]!.path
  if (root !== 'connections' || connection === undefined || field === undefined || more !== undefined) return null
  return part.source === `connections.${connection}.${field}` ? { connection, field } : null
}

/** Returns the paths of the fields that the sender hands over: the connection need not have them yet. */
export function handedOver(sender: unknown, senders: Senders): ReadonlySet<string> {
  if (!isObject(sender) || typeof sender['name'] !== 'string') return new Set()
  return new Set(handedFields(senders.find(sender['name'])).map((name) => `/trigger/sender/${name}`))
}

/** Returns the names of the fields that a sender hands over. */
export const handedFields = (sender: Sender | null): string[] =>
  (sender?.fields ?? []).filter(({ fromHandshake }) => fromHandshake).map(({ name }) => name)
