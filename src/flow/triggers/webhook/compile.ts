// Compiles the trigger of a webhook: who may send, what is accepted, and what the sender gets.
import { type AddressRange, parseAddressRange } from '../../../base/address-range.ts'
import type { SchemaNode } from '../../check.ts'
import { callbacksIn, conditionResolver, optionalResolver, settingResolver, textResolver } from '../../compile.ts'
import type { Bindings } from '../../expression/values/bindings.ts'
import { compileLabels } from '../compile-labels.ts'
import type { CompiledCommon, CompiledReply } from '../trigger-kind.ts'
import { WEBHOOK, type WebhookDocument, WebhookSettings } from './schema.ts'

type Auth = NonNullable<WebhookDocument['auth']>

export type CompiledAuth =
  | { kind: 'none' }
  | { kind: 'header' | 'query'; name(bindings: Bindings): string; value(bindings: Bindings): string; anyCase: boolean }
  | CompiledSignature

export interface CompiledSignature {
  kind: 'signature'
  scheme: Extract<Auth, { kind: 'signature' }>['scheme']
  secrets(bindings: Bindings): string[]
  header(bindings: Bindings): string | null
  toleranceSeconds: number
}

export interface CompiledWebhook extends CompiledCommon {
  kind: typeof WEBHOOK
  auth: CompiledAuth
  mode: 'immediate' | 'finished'
  timeoutMs: number
  reply: CompiledReply
  /** The steps whose callback URL the reply gives away. */
  replyCallbacks: readonly string[]
  dedupe: { key(bindings: Bindings): unknown; windowMs: number } | null
  when: ((bindings: Bindings) => boolean) | null
  accept: readonly string[]
  ipRanges: readonly AddressRange[]
  /** Whether the bodies of rejected deliveries are kept. */
  keepsRejected: boolean
}

export const DEFAULT_ACCEPT = ['application/json']

export function compileWebhook(document: WebhookDocument): CompiledWebhook {
  const { auth, response, dedupe, when, accept, ips, concurrency, labels, inbox } = document
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
    auth: compileAuth(auth),
    mode,
    timeoutMs: (response?.timeout ?? 30) * 1000,
    reply: success,
    replyCallbacks: mode === 'immediate' && response ? callbacksIn(schema['response']!, response) : [],
    finalReply: mode === 'finished' ? { success, error } : null,
    keepsReply: false,
    dedupe: dedupe ? { key: optionalResolver(dedupe.key), windowMs: (dedupe.window ?? 86_400) * 1000 } : null,
    when: when_ === undefined ? null : conditionResolver(when_),
    accept: accept?.map((type) => type.toLowerCase()) ?? DEFAULT_ACCEPT,
    ipRanges: (ips ?? []).map(parseAddressRange),
    concurrency: concurrency ?? null,
    labels: compileLabels(labels),
    keepsRejected: inbox?.keepRejected === true,
  }
}

export function compileAuth(auth: Auth | undefined): CompiledAuth {
  if (auth === undefined || auth.kind === 'none') return { kind: 'none' }
  if (auth.kind !== 'signature')
    return {
      kind: auth.kind,
      name: textResolver(auth.name),
      value: textResolver(auth.value),
      anyCase: auth.kind === 'header' && auth.anyCase === true,
    }
  const secrets = [auth.secret].flat().map(textResolver)
  return {
    kind: 'signature',
    scheme: auth.scheme,
    secrets: (bindings) => secrets.map((secret) => secret(bindings)),
    header: auth.header === undefined ? () => null : textResolver(auth.header),
    toleranceSeconds: auth.tolerance ?? 300,
  }
}
