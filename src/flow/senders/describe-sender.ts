// Describes a sender for people: what it needs, and what its signature is worth.
import { isHmac } from '../../base/signing/algorithm-names.ts'
import { parseTemplate } from '../expression/index.ts'
import { handedFields } from './check-sender.ts'
import type { Sender, SenderAuthDocument, SenderSignature } from './schema.ts'

export interface SenderView
  extends Pick<Sender, 'name' | 'title' | 'aliases' | 'words' | 'color' | 'letters' | 'fields' | 'console' | 'accept'> {
  /** Whether it asks for an answer before it sends events. */
  handshake: boolean
  /** The fields that it hands over then. */
  handsOver: string[]
  /** How it signs; null if it proves itself by a token, or not at all. */
  signs: string | null
  /** What the signature covers. */
  covers: { body: boolean; time: boolean }
  events: string[]
  notes: string | null
}

export const SHOWN_ALGORITHMS: Readonly<Record<SenderSignature['algorithm'], string>> = {
  sha1: 'HMAC-SHA-1',
  sha256: 'HMAC-SHA-256',
  sha512: 'HMAC-SHA-512',
  ed25519: 'Ed25519',
  'ecdsa-p256': 'ECDSA P-256',
  'rsa-sha256': 'RSA-SHA-256',
}

export function describeSender(sender: Sender): SenderView {
  const { name, title, aliases, words, color, letters, fields, console, accept, handshake, samples, notes } = sender
  const signature = signatureOf(sender)
  return {
    name,
    title,
    aliases,
    words,
    color,
    letters,
    fields,
    console,
    accept,
    handshake: handshake !== undefined,
    handsOver: handedFields(sender),
    signs: signature && SHOWN_ALGORITHMS[signature.algorithm],
    covers: { body: signature !== null && coversBody(signature), time: signature?.timestamp !== undefined },
    events: samples.map(({ event }) => event),
    notes: notes ?? null,
  }
}

export const authsOf = ({ auth }: Pick<Sender, 'auth'>): SenderAuthDocument[] => [auth].flat()

/** Returns how the sender signs; null if it does not. */
export const signatureOf = (sender: Pick<Sender, 'auth'>): SenderSignature | null =>
  authsOf(sender).find((auth): auth is SenderSignature => auth.kind === 'signature') ?? null

/** Returns whether only the sender itself can sign, with a private key. */
export function signsAlone(sender: Pick<Sender, 'auth'>): boolean {
  const signature = signatureOf(sender)
  return signature !== null && !isHmac(signature.algorithm)
}

/** A part of the body counts as well: what the sender does not sign of it, it says in its notes. */
function coversBody({ signed }: SenderSignature): boolean {
  return parseTemplate(signed).parts.some(
    (part) =>
      typeof part !== 'string' &&
      part.references.some(({ path: [root, name] }) => root === 'webhook' && (name === 'rawBody' || name === 'body')),
  )
}
