// The access tokens of OAuth connections: fetched when they are first needed, refreshed ahead of their end, with one request at
// a time for each connection, however many runs and processes want the token.

import { CODE } from '../../base/error-catalogue.ts'
import { ConnectionError } from '../../engine/ports/connections.ts'
import type { Standing } from '../../engine/ports/http-client.ts'
import type { ConnectionRecord, GrantRecord, GrantStore } from '../ports/connections.ts'
import {
  LONGEST_QUOTE,
  type OAuthClient,
  TokenRefused,
  type TokenSet,
  TokenUnavailable,
} from '../ports/oauth-client.ts'
import type { LiveConnections } from './live-connections.ts'
import { settingsOf } from './oauth-settings.ts'
import * as failure from './token-failures.ts'

export interface AccessTokenPorts {
  connections: LiveConnections
  grants: GrantStore
  oauth: OAuthClient
  now(): number
  /** A clock that never jumps. */
  elapsedMs(): number
  sleep(ms: number): Promise<void>
  /** No other process uses the database: a refresh that is not ours was cut short. */
  alone: boolean
  redact(text: string): string
  warn(message: string, details: Record<string, unknown>): void
}

/** A token is refreshed so long before it ends, or at half of a shorter life. */
const AHEAD_MS = 60_000
/** Between the attempts of one refresh. */
const ATTEMPT_DELAYS_MS = [300, 1000]
/** Longer than all attempts of one refresh can take. */
const LEASE_MS = 60_000
/** So long before the end of that time no request leaves any more: it would arrive after it. */
const LEASE_MARGIN_MS = 1000
const LEASE_POLL_MS = 250
const STORE_RETRY_MS = 1000
/** So often somebody else may have changed the grant in between. */
const MOST_LOST = 20
/** An API that refuses whatever token it gets would otherwise cause a refresh with each request. */
const RENEWED_AGAIN_AFTER_MS = 60_000
/** After a failed refresh none is tried for a while, which doubles each time: first, and at most. */
const PAUSE_MS = { unavailable: [1000, 60_000], refused: [10_000, 300_000] } as const

interface Setback {
  error: ConnectionError
  failures: number
  notBefore: number
}

export class AccessTokens {
  readonly #ports: AccessTokenPorts
  readonly #grants = new Map<string, GrantRecord>()
  /** The refreshes under way, by connection. */
  readonly #running = new Map<string, Promise<string>>()
  readonly #setbacks = new Map<string, Setback>()
  /** Tokens that were fetched because an API had refused the one before, and that it refused like that one. */
  readonly #refusedAgain = new Map<string, { token: string; at: number }>()
  #stopped = false

  constructor(ports: AccessTokenPorts) {
    this.#ports = ports
  }

  /** At start, and when another process may have changed something. */
  async load(): Promise<void> {
    const grants = await this.#ports.grants.all()
    const there = new Set(grants.map(({ connection }) => connection))
    for (const name of this.#grants.keys()) if (!there.has(name)) this.#drop(name)
    for (const grant of grants)
      if (grant.version > (this.#grants.get(grant.connection)?.version ?? 0)) this.#adopt(grant)
  }

  grant(name: string): GrantRecord | undefined {
    return this.#grants.get(name)
  }

  /** At once where it is good for a while. */
  accessToken(name: string): string | Promise<string> {
    const grant = this.#grants.get(name)
    if (grant?.tokens && this.#isFresh(grant)) return grant.tokens.accessToken
    return this.#refresh(name, null)
  }

  /** Another token in place of one that an API refused; null where there is none to be had. */
  async renewed(name: string, refused: string): Promise<string | null> {
    const tokens = this.#grants.get(name)?.tokens
    if (tokens && tokens.accessToken !== refused) return tokens.accessToken
    if (isCodeGrant(this.#connection(name)) && !tokens?.refreshToken) return null
    const before = this.#refusedAgain.get(name)
    if (before?.token === refused && this.#ports.now() < before.at + RENEWED_AGAIN_AFTER_MS) return null
    try {
      const token = await this.#refresh(name, refused)
      return token === refused ? null : token
    } catch (error) {
      // The API's own refusal says more.
      if (error instanceof ConnectionError && error.code === CODE.token_unavailable) return null
      throw error
    }
  }

  refusedAgain(name: string, token: string): void {
    this.#refusedAgain.set(name, { token, at: this.#ports.now() })
  }

  /** The user has agreed: what the authorization server gave counts from here on. */
  async connect(name: string, tokens: TokenSet): Promise<void> {
    for (let lost = 0; lost < MOST_LOST; lost++) {
      this.#connection(name)
      const held = (await this.#ports.grants.get(name)) ?? noGrant(name)
      if (await this.#put(this.#granted(held, tokens))) return
    }
    throw failure.unavailable(name, failure.KEEPS_CHANGING)
  }

  /** What was granted to another client or by another server is of no use any more. */
  async settingsChanged(before: ConnectionRecord, after: ConnectionRecord): Promise<void> {
    const { name } = after
    this.#setbacks.delete(name)
    this.#refusedAgain.delete(name)
    const held = this.#grants.get(name)
    const unchanged =
      before.kind === after.kind && JSON.stringify(settingsOf(before)) === JSON.stringify(settingsOf(after))
    if (!held || unchanged) return
    const sameParties = ['grant', 'tokenUrl', 'clientId'].every((field) => before.fields[field] === after.fields[field])
    if (after.kind !== 'oauth2' || !isCodeGrant(after) || !sameParties) return this.forget(name)
    if (!held.tokens?.refreshToken) return
    // Refreshed at the next use: the client's new secret may be all that was missing.
    await this.#put({ ...next(held), state: 'ready', reason: null, expiresAt: this.#ports.now() })
  }

  async forget(name: string): Promise<void> {
    await this.#ports.grants.remove(name)
    this.#drop(name)
  }

  #drop(name: string): void {
    this.#grants.delete(name)
    this.#setbacks.delete(name)
    this.#refusedAgain.delete(name)
    this.#ports.connections.setTokens(name, null)
  }

  /** Resolves when no refresh is under way; no other is begun. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.allSettled(this.#running.values())
  }

  #refresh(name: string, refused: string | null): Promise<string> {
    const running = this.#running.get(name)
    if (running) return running
    const begun = this.#obtain(name, refused)
      .catch((error) => {
        if (error instanceof ConnectionError) throw error
        this.#ports.warn('the token of a connection could not be refreshed', { connection: name, err: error })
        throw failure.unavailable(name, 'the database cannot be read or written')
      })
      .finally(() => this.#running.delete(name))
    this.#running.set(name, begun)
    return begun
  }

  async #obtain(name: string, refused: string | null): Promise<string> {
    for (let lost = 0; lost < MOST_LOST; ) {
      const connection = this.#connection(name)
      // As the database has it: another process may have been faster.
      const held = (await this.#ports.grants.get(name)) ?? noGrant(name)
      if (held.version > (this.#grants.get(name)?.version ?? 0)) this.#adopt(held)
      if (held.tokens && held.tokens.accessToken !== refused && this.#isFresh(held)) return held.tokens.accessToken
      const setback = this.#setbacks.get(name)
      if (setback && this.#ports.now() < setback.notBefore) return this.#makeDo(held, refused, setback.error)
      if (isCodeGrant(connection) && !refreshTokenOf(held)) return this.#toItsEnd(held, refused)
      if (this.#stopped) throw failure.unavailable(name, 'the service is stopping')
      if (this.#othersRefresh(held)) {
        await this.#ports.sleep(LEASE_POLL_MS)
        continue
      }
      // Written before the request leaves: should its result be lost, the refresh token may be spent.
      const claim = { ...next(held), refreshingSince: this.#ports.now() }
      const standing = this.#standing()
      const token = (await this.#put(claim)) ? await this.#ask(connection, held, claim, refused, standing) : null
      if (token !== null) return token
      lost++
    }
    throw failure.unavailable(name, failure.KEEPS_CHANGING)
  }

  /** From the moment at which the claim is asked for: afterwards this process may stand still without knowing it. */
  #standing(): Standing | null {
    const { alone, elapsedMs } = this.#ports
    if (alone) return null
    const until = elapsedMs() + LEASE_MS - LEASE_MARGIN_MS
    return { isCertain: () => elapsedMs() < until, confirm: async () => false }
  }

  /** null: the grant was changed meanwhile, or may have been, so that the answer is of no use. */
  async #ask(
    connection: ConnectionRecord,
    held: GrantRecord,
    claim: GrantRecord,
    refused: string | null,
    standing: Standing | null,
  ): Promise<string | null> {
    const { name } = connection
    try {
      const tokens = await this.#request(connection, held, standing)
      // A server that sends no other refresh token means the one that we have.
      const granted = this.#granted(claim, { ...tokens, refreshToken: tokens.refreshToken ?? refreshTokenOf(held) })
      return (await this.#keepTrying(granted)) ? tokens.accessToken : null
    } catch (error) {
      if (standing && !standing.isCertain()) return null
      if (error instanceof TokenUnavailable) {
        const reason = this.#shown(error)
        const setback = this.#setBack(failure.unavailable(name, reason), PAUSE_MS.unavailable, error.retryAfterMs)
        await this.#keepTrying({ ...next(claim), refreshingSince: null })
        return this.#makeDo(held, refused, setback)
      }
      if (!(error instanceof TokenRefused)) throw error
      const gone = error.error === 'invalid_grant'
      const reason = failure.refusal(this.#shown(error), gone, held.refreshingSince !== null)
      const setback = this.#setBack(failure.unauthorized(name, reason), PAUSE_MS.refused, 0)
      const tokens = gone ? null : held.tokens
      await this.#keepTrying({ ...next(claim), state: 'reconnect', reason, tokens, refreshingSince: null })
      this.#ports.warn('a connection has to be looked at', { connection: name, reason })
      return this.#makeDo({ ...held, tokens }, refused, setback)
    }
  }

  async #request(connection: ConnectionRecord, held: GrantRecord, standing: Standing | null): Promise<TokenSet> {
    const settings = settingsOf(connection)
    for (let attempt = 0; ; attempt++)
      try {
        if (isCodeGrant(connection))
          return await this.#ports.oauth.refresh(settings, held.tokens!.refreshToken!, standing)
        return { ...(await this.#ports.oauth.clientCredentials(settings, standing)), refreshToken: null }
      } catch (error) {
        const delay = ATTEMPT_DELAYS_MS[attempt]
        if (!(error instanceof TokenUnavailable) || delay === undefined || error.retryAfterMs > delay) throw error
        await this.#ports.sleep(delay)
      }
  }

  /** A token that cannot be refreshed. */
  async #toItsEnd(held: GrantRecord, refused: string | null): Promise<string> {
    const { connection, state, reason, tokens } = held
    if (!tokens) throw failure.unauthorized(connection, state === 'reconnect' ? reason! : failure.NOT_CONNECTED)
    if (tokens.accessToken !== refused && this.#isGood(held)) return tokens.accessToken
    await this.#put({ ...next(held), state: 'reconnect', reason: failure.NO_REFRESH_TOKEN, tokens: null })
    throw failure.unauthorized(connection, failure.NO_REFRESH_TOKEN)
  }

  /** A token that has not ended yet is better than none. */
  #makeDo(held: GrantRecord, refused: string | null, error: ConnectionError): string {
    if (held.tokens && held.tokens.accessToken !== refused && this.#isGood(held)) return held.tokens.accessToken
    throw error
  }

  #setBack(error: ConnectionError, [first, most]: readonly [number, number], atLeastMs: number): ConnectionError {
    const failures = this.#setbacks.get(error.connection)?.failures ?? 0
    const pauseMs = Math.max(atLeastMs, Math.min(most, first * 2 ** failures))
    this.#setbacks.set(error.connection, {
      error,
      failures: failures + 1,
      notBefore: this.#ports.now() + Math.min(pauseMs, PAUSE_MS.refused[1]),
    })
    return error
  }

  #shown({ message }: Error): string {
    return this.#ports.redact(message).slice(0, LONGEST_QUOTE)
  }

  #granted(held: GrantRecord, { accessToken, refreshToken, expiresInMs }: TokenSet): GrantRecord {
    const now = this.#ports.now()
    this.#setbacks.delete(held.connection)
    return {
      ...next(held),
      state: 'ready',
      reason: null,
      tokens: { accessToken, refreshToken },
      obtainedAt: now,
      expiresAt: expiresInMs === null ? null : now + expiresInMs,
      refreshingSince: null,
    }
  }

  #isGood({ expiresAt }: GrantRecord): boolean {
    return expiresAt === null || this.#ports.now() < expiresAt
  }

  #isFresh({ obtainedAt, expiresAt }: GrantRecord): boolean {
    if (expiresAt === null) return true
    return this.#ports.now() < expiresAt - Math.min(AHEAD_MS, (expiresAt - obtainedAt) / 2)
  }

  #othersRefresh({ refreshingSince }: GrantRecord): boolean {
    return !this.#ports.alone && refreshingSince !== null && this.#ports.now() < refreshingSince + LEASE_MS
  }

  /** What came cannot be asked for again: it is kept however long the database takes. */
  async #keepTrying(grant: GrantRecord): Promise<boolean> {
    for (;;)
      try {
        return await this.#put(grant)
      } catch (error) {
        if (this.#stopped) throw error
        await this.#ports.sleep(STORE_RETRY_MS)
      }
  }

  /** false: somebody else has changed it. */
  async #put(grant: GrantRecord): Promise<boolean> {
    if (!(await this.#ports.grants.put(grant))) return false
    this.#adopt(grant)
    return true
  }

  #adopt(grant: GrantRecord): void {
    this.#grants.set(grant.connection, grant)
    this.#ports.connections.setTokens(grant.connection, grant.tokens)
  }

  #connection(name: string): ConnectionRecord {
    const connection = this.#ports.connections.get(name)
    if (connection?.kind !== 'oauth2' || connection.secrets === null)
      throw failure.unauthorized(name, failure.NOT_THERE)
    return connection
  }
}

const isCodeGrant = ({ fields }: ConnectionRecord): boolean => fields['grant'] === 'authorization_code'

const refreshTokenOf = ({ tokens }: GrantRecord): string | null => tokens?.refreshToken ?? null

const next = (grant: GrantRecord): GrantRecord => ({ ...grant, version: grant.version + 1 })

const noGrant = (connection: string): GrantRecord => ({
  connection,
  version: 0,
  state: 'ready',
  reason: null,
  tokens: null,
  obtainedAt: 0,
  expiresAt: null,
  refreshingSince: null,
})
