// Compiles the trigger of a webhook: who may send, what is accepted, and what the sender gets.
import { type AddressRange, parseAddressRange } from '../../../base/address-range.ts'
import type { SchemaNode } from '../../check.ts'
import { callbacksIn, conditionResolver, optionalResolver, settingResolver } from '../../compile.ts'
import type { Bindings } from '../../expression/values/bindings.ts'
import { isFileType } from '../../formats/file-types.ts'
import type { XmlParsing } from '../../formats/xml-lists.ts'
import { compileSender, type Fields } from '../../senders/compile-sender.ts'
import { NO_SENDERS, type Senders } from '../../senders/schema.ts'
import { compileLabels } from '../compile-labels.ts'
import { EVENT_LABEL } from '../labels.ts'
import type { CompiledCommon, CompiledReply } from '../trigger-kind.ts'
import { type CompiledAuth, compileAuth } from './compile-auth.ts'
import { type CompiledHandshake, compileHandshake } from './handshake/compile.ts'
import { WEBHOOK, type WebhookDocument, WebhookSettings } from './schema.ts'

/** The sender that a trigger names. */
export interface CompiledSenderUse {
  name: string
  fields(bindings: Bindings): Fields
  /** Whether it is its file that says how it proves itself. */
  authenticates: boolean
}

export interface CompiledWebhook extends CompiledCommon {
  kind: typeof WEBHOOK
  auth: CompiledAuth
  /** null: the flow names no sender. */
  sender: CompiledSenderUse | null
  /** null: there are none, as in most flows. */
  handshakes: readonly CompiledHandshake[] | null
  mode: 'immediate' | 'finished'
  timeoutMs: number
  reply: CompiledReply
  /** The steps whose callback URL the reply gives away. */
  replyCallbacks: readonly string[]
  dedupe: { key(bindings: Bindings): unknown; windowMs: number } | null
  when: ((bindings: Bindings) => boolean) | null
  accept: readonly string[]
  /** Whether one of these types is that of files. */
  takesFiles: boolean
  ipRanges: readonly AddressRange[]
  /** How bodies of XML types are parsed; null: they stay text. */
  xml: XmlParsing | null
  /** Whether the bodies of rejected deliveries are kept. */
  keepsRejected: boolean
}

export const DEFAULT_ACCEPT = ['application/json']

export function compileWebhook(document: WebhookDocument, senders: Senders = NO_SENDERS): CompiledWebhook {
  const { auth, response, when, ips, concurrency, inbox } = document
  const sender = document.sender ? compileSender(document.sender, senders) : null
  const handshake = document.handshake?.map((one) => compileHandshake(one)) ?? sender?.handshakes ?? []
  const accept = (document.accept ?? sender?.accept)?.map((type) => type.toLowerCase()) ?? DEFAULT_ACCEPT
  const dedupe = document.dedupe ?? (sender?.dedupe ? { key: sender.dedupe } : undefined)
  // The type of an event is a label like any other, so that runs are found by it too.
  const labels = sender?.event ? { [EVENT_LABEL]: sender.event, ...document.labels } : document.labels
  const schema = (WebhookSettings as unknown as SchemaNode).properties!
  const when_ = when as unknown as string | boolean | undefined
  const reply = (
    node: SchemaNode,
    value: { status?: unknown; headers?: unknown; body?: unknown } | undefined,
  ): CompiledReply => ({
    status: settingResolver(node.properties!['status']!, value?.status),
    headers: settingResolver(node.properties!['headers']!, value?.headers),
    body: settingResolver(node.properties!['body']!, value?.body),
  })
  const mode = response?.mode ?? 'immediate'
  const success = reply(schema['response']!, response)
  const error = reply(schema['response']!.properties!['error']!, response?.error)
  return {
    kind: WEBHOOK,
    auth: auth === undefined && sender ? sender.auth : compileAuth(auth),
    sender: sender && { name: sender.name, fields: sender.fields, authenticates: auth === undefined },
    handshakes: handshake.length ? handshake : null,
    mode,
    timeoutMs: (response?.timeout ?? 30) * 1000,
    reply: success,
    replyCallbacks: mode === 'immediate' && response ? callbacksIn(schema['response']!, response) : [],
    finalReply: mode === 'finished' ? { success, error } : null,
    keepsReply: false,
    dedupe: dedupe ? { key: optionalResolver(dedupe.key), windowMs: (dedupe.window ?? 86_400) * 1000 } : null,
    when: when_ === undefined ? null : conditionResolver(when_),
    accept,
    takesFiles: accept.some(isFileType),
    xml: document.parse === 'xml' ? { lists: document.lists ?? [] } : null,
    ipRanges: (ips ?? []).map(parseAddressRange),
    concurrency: concurrency ?? null,
    labels: compileLabels(labels),
    keepsRejected: inbox?.keepRejected === true,
  }
}
