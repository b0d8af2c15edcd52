// The chain of the audit log: what an entry is as a line of text, its hash, and what is signed.
import { createHash } from 'node:crypto'
import type { AuditEntry } from '../audit.ts'

/** The chain of the embedded database; on PostgreSQL, the chain that names those of all processes. */
export const MAIN_CHAIN = 'main'

/** An entry as it is stored. Entries from before there were chains are in none. */
export interface StoredEntry extends Omit<AuditEntry, 'details' | 'action'> {
  action: string
  /** As JSON text, whose bytes count. */
  details: string
  chain: string | null
  seq: number | null
  /** The hash of the entry before; null for the first. */
  prev: string | null
  hash: string | null
}

/** What is kept of a chain beside its entries. */
export interface ChainState {
  id: string
  /** The last entry. */
  seq: number
  hash: string | null
  signature: string | null
  /** The last entry that retention deleted. */
  anchor: Anchor | null
}

export interface Anchor {
  seq: number
  hash: string
  at: number
  signature: string
}

/** Signs with the key of the instance. */
export interface Signing {
  sign(text: string): string
  /** Returns whether one of the keys signed this text. */
  isSigned(text: string, signature: string): boolean
}

/** Returns the line without its end, which is the hash. */
function lineWithoutHash({ chain, seq, prev, id, at, actor, actorId, action, target, details }: StoredEntry): string {
  const shown = target && { kind: target.kind, id: target.id, name: target.name }
  const head = { chain, seq, prev, id, at: new Date(at).toISOString(), actor, actorId, action, target: shown }
  return `${JSON.stringify(head).slice(0, -1)},"details":${details}`
}

/** Returns the entry as one line of JSON, as it is exported. */
export const lineOf = (entry: StoredEntry): string => `${lineWithoutHash(entry)},"hash":${JSON.stringify(entry.hash)}}`

/** Returns the SHA-256 of the entry's line without its last member, the hash, in hexadecimal. */
export const hashOf = (entry: StoredEntry): string => sha256(`${lineWithoutHash(entry)}}`)

const HASH_AT_END = /,"hash":"([0-9a-f]{64})"\}$/

/** Splits an exported line. Returns null if it does not end with a hash. */
export function hashesOf(line: string): { written: string; right: string } | null {
  const [end, written] = HASH_AT_END.exec(line.slice(-80)) ?? []
  return end === undefined ? null : { written: written!, right: sha256(`${line.slice(0, -end.length)}}`) }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export const headText = ({ id, seq, hash }: Pick<ChainState, 'id' | 'seq' | 'hash'>): string =>
  JSON.stringify(['head', id, seq, hash])

export const anchorText = (chain: string, { seq, hash, at }: Pick<Anchor, 'seq' | 'hash' | 'at'>): string =>
  JSON.stringify(['anchor', chain, seq, hash, at])

/** Reads the chains, for whoever checks or exports them. */
export interface AuditChains {
  all(): Promise<ChainState[]>
  get(chain: string): Promise<ChainState | null>
  /** Returns the ids of chains that entries name and that are not there. */
  unknown(): Promise<string[]>
  /** Returns entries of the chain by their numbers. */
  entries(chain: string, afterSeq: number, limit: number): Promise<StoredEntry[]>
  /** Returns entries that are in no chain, by their ids. */
  unchained(afterId: string, limit: number): Promise<StoredEntry[]>
  /** Signs again, with the current key, what an older key has signed. */
  resign(): Promise<void>
}

/** How far each destination has got the entries: one process sends, from where the last one ended. */
export interface AuditDestinations {
  /** Returns false if another process sends to it. A new destination begins with the entries made from now on. */
  claim(destination: string, holder: string, now: number, untilMs: number): Promise<boolean>
  release(destination: string, holder: string): Promise<void>
  /** Returns the chains with entries that the destination does not have yet, and the last that it has of each. */
  behind(destination: string): Promise<{ chain: string; seq: number; missing: number }[]>
  /** Remembers the last entry that arrived. */
  arrived(destination: string, chain: string, seq: number): Promise<void>
}
