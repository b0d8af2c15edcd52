// The ports to the stores of connections and of their OAuth grants, and to what opens their certificates.
import type { FlowLimit } from '../../base/flow-limit.ts'
import type { TlsSettings } from '../../engine/ports/tls.ts'

export type ConnectionKind = 'basic' | 'bearer' | 'apiKey' | 'digest' | 'oauth2' | 'jwt' | 'aws' | 'tls' | 'custom'

/** `unproven`: the reply said nothing about the credentials. */
export type TestVerdict = 'accepted' | 'refused' | 'unproven' | 'unreachable'

export interface LastTest {
  at: number
  verdict: TestVerdict
}

export interface ConnectionRecord {
  name: string
  kind: ConnectionKind
  /** The fields that may be shown. */
  fields: Record<string, unknown>
  /** null if the stored secrets cannot be unsealed. */
  secrets: Record<string, string> | null
  /** Where the secret fields are that are kept elsewhere: `file:…` or `vault:…`. They are read when they are used. */
  outside: Readonly<Record<string, string>>
  /** The hosts that its secrets may be sent to; empty for any host. */
  hosts: string[]
  /** The flows that may use it; null for all. */
  onlyFor: FlowLimit | null
  /** A number that each change raises. */
  revision: number
  createdAt: number
  updatedAt: number
  /** null if it was not tested since its last change. */
  lastTest: LastTest | null
}

export interface ConnectionStore {
  all(): Promise<ConnectionRecord[]>
  /** Returns false if the name is taken. */
  create(connection: ConnectionRecord): Promise<boolean>
  /** Returns false if the connection is gone or no longer at the previous revision. */
  replace(connection: ConnectionRecord): Promise<boolean>
  /** Leaves the revision as it is. Returns false if the connection is gone or was changed since that revision. */
  recordTest(name: string, revision: number, test: LastTest | null): Promise<boolean>
  remove(name: string): Promise<boolean>
}

export interface Tokens {
  accessToken: string
  refreshToken: string | null
}

/** The access tokens of a connection: those that an OAuth server granted, or that it signed itself. */
export interface GrantRecord {
  connection: string
  /** A number that each change raises. A write that expects an older one changes nothing. */
  version: number
  state: 'ready' | 'reconnect'
  /** Why the connection has to be authorized again. */
  reason: string | null
  tokens: Tokens | null
  obtainedAt: number
  /** null if the expiry of the access token is unknown. */
  expiresAt: number | null
  /** The start of a refresh without a result yet; its refresh token may be used up. */
  refreshingSince: number | null
}

export interface GrantStore {
  all(): Promise<GrantRecord[]>
  get(connection: string): Promise<GrantRecord | null>
  /** Writes only over the previous version, or over none at version 1. Returns false if nothing was written. */
  put(grant: GrantRecord): Promise<boolean>
  remove(connection: string): Promise<void>
}

/** A browser that was sent to an authorization server and has not returned yet. */
export interface AuthorizationRequest {
  /** The digest of the `state` parameter. */
  id: string
  connection: string
  /** The revision of the connection at that time. */
  revision: number
  /** The actor who asked for the authorization. */
  actor: { id: string | null; name: string }
  /** The digest of the secret that the browser has to show; null if no browser asked. */
  browser: string | null
  /** The code verifier of PKCE. */
  verifier: string
  expiresAt: number
}

export interface AuthorizationRequestStore {
  /** Adds a request and removes expired ones. */
  add(request: AuthorizationRequest, now: number): Promise<void>
  /** Returns and removes the request, so that it can be used only once. */
  take(id: string): Promise<AuthorizationRequest | null>
}

export interface TlsFault {
  field: keyof TlsSettings
  /** The end of a sentence that begins with the field's name. */
  message: string
}

export interface OpenedTls {
  faults: TlsFault[]
  /** PEM: the client certificate; null if there is none, or a fault. */
  certificate: string | null
}

/**
 * Opens certificates and keys in a process of their own, because a file can say how long that takes. Returns what is wrong with
 * them, without quoting them, and the certificate.
 */
export type OpenTls = (settings: TlsSettings) => Promise<OpenedTls>
