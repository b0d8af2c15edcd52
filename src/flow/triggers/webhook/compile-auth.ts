// Compiles how a sender proves itself: what the trigger or a callback says, or the file of a sender.
import type { SignatureAlgorithm } from '../../../base/signing/algorithm-names.ts'
import type { KeyFormName } from '../../../base/signing/key-forms.ts'
import { optionalResolver, type Resolve, textResolver } from '../../compile.ts'
import { parseTemplate, renderText } from '../../expression/index.ts'
import type { Bindings } from '../../expression/values/bindings.ts'
import type { SenderSignature } from '../../senders/schema.ts'
import type { WebhookDocument } from './schema.ts'

type Auth = NonNullable<WebhookDocument['auth']>
type Text = (bindings: Bindings) => string
/** Several during a rotation, when any of them may be sent. */
type Secrets = (bindings: Bindings) => string | readonly string[]

export type CompiledAuth =
  | { kind: 'none' }
  | { kind: 'header' | 'query'; name: Text; value: Secrets; anyCase: boolean }
  | CompiledSignature
  | CompiledCustom
  | { kind: 'basic'; user: Text; password: Text }
  | { kind: 'body'; given: Resolve; value: Secrets }
  | { kind: 'all'; of: readonly CompiledAuth[] }
  /** Nobody gets in: the sender that the flow names is not known to this version. */
  | { kind: 'closed'; sender: string }

export interface CompiledSignature {
  kind: 'signature'
  scheme: Exclude<Extract<Auth, { kind: 'signature' }>['scheme'], 'custom'>
  secrets(bindings: Bindings): string[]
  header(bindings: Bindings): string | null
  toleranceSeconds: number
}

/** A signature that is described part by part. */
export interface CompiledCustom {
  kind: 'custom'
  algorithm: SignatureAlgorithm
  encoding: 'hex' | 'base64'
  keyForm: KeyFormName
  /** The secrets, or the public keys. */
  keys(bindings: Bindings): string[]
  /** Where the signature is: in headers, or at `given`. */
  headers(bindings: Bindings): readonly string[]
  repeats: boolean
  given: Resolve | null
  /** What stands before the signature: one of these. */
  prefixes: readonly string[]
  entries: SenderSignature['entries'] | null
  signed: readonly SignedPart[]
  timestamp: Resolve | null
  toleranceSeconds: number
  /** Whether a template reads the request, other than the bytes of its body. */
  readsRequest: boolean
  /** Whether a template reads the content of the body, which then is read before the sender is known. */
  readsContent: boolean
}

/** A part of what is signed; null: the body, its bytes as received. */
export type SignedPart = Uint8Array | SignedValue | null

export interface SignedValue {
  value: Text
  /** Headers are bytes of Latin-1; any other text is UTF-8. */
  encoding: 'latin1' | 'utf8'
  /** What the text must not hold, because it ends the text: what follows could be taken for a part of it. */
  endsAt: string | null
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
  const secrets = [auth.secret ?? auth.publicKey ?? []].flat().map(textResolver)
  const keys = (bindings: Bindings) => secrets.map((secret) => secret(bindings))
  if (auth.scheme !== 'custom')
    return {
      kind: 'signature',
      scheme: auth.scheme,
      secrets: keys,
      header: auth.header === undefined ? () => null : textResolver(auth.header),
      toleranceSeconds: auth.tolerance ?? 300,
    }
  const { algorithm, encoding, prefix, signed, timestamp, tolerance } = auth
  const header = textResolver(auth.header)
  return {
    ...compileSigned({ signed: signed!, timestamp, tolerance, algorithm: algorithm!, encoding: encoding!, prefix }),
    keys,
    headers: (bindings) => [header(bindings)],
  }
}

/** Compiles all but where the keys and the signature come from. */
export function compileSigned(
  document: Pick<SenderSignature, 'algorithm' | 'encoding' | 'key' | 'prefix' | 'signed' | 'timestamp' | 'tolerance'> &
    Partial<Pick<SenderSignature, 'given' | 'entries' | 'repeats'>>,
): Omit<CompiledCustom, 'keys' | 'headers'> {
  const { algorithm, encoding, key, prefix, given, entries, repeats, signed, timestamp, tolerance } = document
  const parts = signedParts(signed, timestamp)
  const sources = [signed, timestamp, given].filter((source) => source !== undefined)
  return {
    kind: 'custom',
    algorithm,
    encoding,
    keyForm: key ?? 'text',
    repeats: repeats === true,
    given: given === undefined ? null : optionalResolver(given),
    prefixes: [prefix ?? ''].flat(),
    entries: entries ?? null,
    signed: parts,
    timestamp: timestamp === undefined ? null : optionalResolver(timestamp),
    toleranceSeconds: tolerance ?? 300,
    readsRequest: sources.length > 1 || parts.some((part) => part !== null && !(part instanceof Uint8Array)),
    readsContent: sources.some(readsContent),
  }
}

const RAW_BODY = 'webhook.rawBody'
const A_HEADER = /^webhook\.headers(?:\.[\w$]+|\[(?:'[^']*'|"[^"]*")\])$/

function signedParts(source: string, timestamp: string | undefined): SignedPart[] {
  const { parts } = parseTemplate(source)
  return parts.map((part, i): SignedPart => {
    if (typeof part === 'string') return Buffer.from(part)
    if (part.source === RAW_BODY) return null
    const isHeader = A_HEADER.test(part.source)
    const next = parts[i + 1]
    // A time has a form of its own, in which nothing else can hide.
    const isTime = timestamp?.includes(part.source) === true
    return {
      value: (bindings) => renderText({ source, parts: [part] }, bindings),
      encoding: isHeader ? 'latin1' : 'utf8',
      endsAt: isHeader && !isTime && typeof next === 'string' ? next : null,
    }
  })
}

/** The parts of a request that are known before its body is read as text. */
const HEAD_PARTS: readonly (string | undefined)[] = ['headers', 'query', 'queryAll', 'metadata']

function readsContent(source: string): boolean {
  return parseTemplate(source).parts.some(
    (part) =>
      typeof part !== 'string' &&
      part.source !== RAW_BODY &&
      part.references.some(({ path: [root, name] }) => root === 'webhook' && !HEAD_PARTS.includes(name)),
  )
}
