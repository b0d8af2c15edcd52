// Where connections, and what OAuth servers granted them, are kept.

export type ConnectionKind = 'basic' | 'bearer' | 'apiKey' | 'oauth2' | 'custom'

export interface ConnectionRecord {
  name: string
  kind: ConnectionKind
  /** What may be seen of it. */
  fields: Record<string, unknown>
  /** null: what is stored cannot be opened. */
  secrets: Record<string, string> | null
  /** Where its secrets may be sent; empty: anywhere. */
  hosts: string[]
  /** Raised by each change. */
  revision: number
  createdAt: number
  updatedAt: number
}

export interface ConnectionStore {
  all(): Promise<ConnectionRecord[]>
  /** false: the name is taken. */
  create(connection: ConnectionRecord): Promise<boolean>
  /** false: it is gone, or no longer at the revision before this one. */
  replace(connection: ConnectionRecord): Promise<boolean>
  remove(name: string): Promise<boolean>
}

export interface Tokens {
  accessToken: string
  refreshToken: string | null
}

/** What an OAuth connection was granted. */
export interface GrantRecord {
  connection: string
  /** Raised by each change; a write that expects an older one changes nothing. */
  version: number
  state: 'ready' | 'reconnect'
  /** Why it has to be connected again. */
  reason: string | null
  tokens: Tokens | null
  obtainedAt: number
  /** null: it is not known when the access token ends. */
  expiresAt: number | null
  /** A refresh was begun and its result is not here: its refresh token may be spent. */
  refreshingSince: number | null
}

export interface GrantStore {
  all(): Promise<GrantRecord[]>
  get(connection: string): Promise<GrantRecord | null>
  /** Only where the version before this one stands, or none at version 1; false: nothing was written. */
  put(grant: GrantRecord): Promise<boolean>
  remove(connection: string): Promise<void>
}

/** A browser that was sent to an authorization server, and has to come back. */
export interface AuthorizationRequest {
  /** The digest of its `state`. */
  id: string
  connection: string
  /** Of the connection as it was then. */
  revision: number
  /** Who asked for it. */
  actor: { id: string | null; name: string }
  /** The digest of what the browser has to show; null where no browser asked. */
  browser: string | null
  /** For PKCE. */
  verifier: string
  expiresAt: number
}

export interface AuthorizationRequestStore {
  /** Removes those that have expired. */
  add(request: AuthorizationRequest, now: number): Promise<void>
  /** The request, which can be taken once. */
  take(id: string): Promise<AuthorizationRequest | null>
}
