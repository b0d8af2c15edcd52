// Gets the access tokens of connections by OAuth or by a signed JWT: fetches them at first use and refreshes them before they expire, with one
// request at a time for each connection, even if many runs and processes need the token.

import { CODE } from '../../base/error-catalogue.ts'
import { ConnectionError } from '../../engine/ports/connections.ts'
import type { Standing } from '../../engine/ports/http-client.ts'
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import type { ConnectionRecord, GrantRecord, GrantStore } from '../ports/connections.ts'
import {
  LONGEST_QUOTE,
  type OAuthClient,
  TokenRefused,
  type TokenSet,
  TokenUnavailable,
} from '../ports/oauth-client.ts'
import { hasTokens, type LiveConnections } from './live-connections.ts'
import { jwtSettingsOf, settingsOf } from './oauth-settings.ts'
import * as failure from './token-failures.ts'

export interface AccessTokenPorts {
  connections: LiveConnections
  grants: GrantStore
  oauth: OAuthClient
  now(): number
  /** Returns the time of a clock that never jumps. */
  elapsedMs(): number
  sleep(ms: number): Promise<void>
  /** Whether no other process uses the database, so that a refresh begun by another process was cut short. */
  alone: boolean
  redact(text: string): string
  warn(message: string, details: Record<string, unknown>): void
}

/** A token is refreshed this long before it expires, or at half of its lifetime if that is shorter. */
const AHEAD_MS = 60_000
/** The delays between the attempts of one refresh. */
const ATTEMPT_DELAYS_MS = [300, 1000]
/** The lease of one refresh: longer than all of its attempts can take. */
const LEASE_MS = 60_000
/** No request leaves this shortly before the lease ends, because it would arrive after the end. */
const LEASE_MARGIN_MS = 1000
const LEASE_POLL_MS = 250
const STORE_RETRY_MS = 1000
/** The most times that a change by another process may get in the way of a write. */
const MOST_LOST = 20
/** An API that refuses every token would otherwise cause a refresh at each request. */
const RENEWED_AGAIN_AFTER_MS = 60_000
/** The pause after a failed refresh, first and longest; it doubles with each failure. */
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
  /** The tokens that replaced a refused one and that the API refused too. */
  readonly #refusedAgain = new Map<string, { token: string; at: number }>()
  #stopped = false

  constructor(ports: AccessTokenPorts) {
    this.#ports = ports
  }

  /** Reads the grants, at start and when another process may have changed them. */
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

  /** Returns the token at once if it stays valid for a while. */
  accessToken(name: string): string | Promise<string> {
    const grant = this.#grants.get(name)
    if (grant?.tokens && this.#isFresh(grant)) return grant.tokens.accessToken
    return this.#refresh(name, null)
  }

  /** Returns a new token in place of one that an API refused; null if there is none. */
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
      // The API's own refusal is more helpful than this error.
      if (error instanceof ConnectionError && error.code === CODE.token_unavailable) return null
      throw error
    }
  }

  refusedAgain(name: string, token: string): void {
    this.#refusedAgain.set(name, { token, at: this.#ports.now() })
  }

  /** Stores the tokens that the authorization server granted after the user's consent. */
  async connect(name: string, tokens: TokenSet): Promise<void> {
    for (let lost = 0; lost < MOST_LOST; lost++) {
      this.#connection(name)
      const held = (await this.#ports.grants.get(name)) ?? noGrant(name)
      if (await this.#put(this.#granted(held, tokens))) return
    }
    throw failure.unavailable(name, failure.KEEPS_CHANGING)
  }

  /** Drops a grant if the settings now name another client or another server. */
  async settingsChanged(before: ConnectionRecord, after: ConnectionRecord): Promise<void> {
    const { name } = after
    this.#setbacks.delete(name)
    this.#refusedAgain.delete(name)
    const held = this.#grants.get(name)
    const unchanged = before.kind === after.kind && partsOf(before) === partsOf(after)
    if (!held || unchanged) return
    const sameParties = ['grant', 'tokenUrl', 'clientId'].every((field) => before.fields[field] === after.fields[field])
    if (after.kind !== 'oauth2' || !isCodeGrant(after) || !sameParties) return this.forget(name)
    if (!held.tokens?.refreshToken) return
    // The next use refreshes the token: a new client secret may be all that was missing.
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

  /** Resolves when no refresh is under way. No other refresh begins. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.allSettled(this.#running.values())
  }

  #refresh(name: string, refused: string | null): Promise<string> {
    const running = this.#running.get(name)
    if (running) return running
    const begun = this.#obtain(name, refused)
      .catch((error) => {
        if (error instanceof ConnectionError || error instanceof StorageUnavailable) throw error
        this.#ports.warn('the token of a connection could not be refreshed', { connection: name, err: error })
        throw failure.unavailable(name, 'the database cannot be read or written')
      })
      .finally(() => this.#running.delete(name))
    this.#running.set(name, begun)
    return begun
  }

  async #obtain(name: string, refused: string | null): Promise<string> {
    for (let lost = 0; lost < MOST_LOST; ) {
      const connection = await this.#whole(name)
      // The database is asked, because another process may have refreshed the token already.
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
      // The claim is stored before the request leaves: if the result is lost, the refresh token may be used up.
      const claim = { ...next(held), refreshingSince: this.#ports.now() }
      const standing = this.#standing()
      const token = (await this.#put(claim)) ? await this.#ask(connection, held, claim, refused, standing) : null
      if (token !== null) return token
      lost++
    }
    throw failure.unavailable(name, failure.KEEPS_CHANGING)
  }

  /** Counts the lease from before the claim is written, because this process may stall afterwards without noticing. */
  #standing(): Standing | null {
    const { alone, elapsedMs } = this.#ports
    if (alone) return null
    const until = elapsedMs() + LEASE_MS - LEASE_MARGIN_MS
    return { isCertain: () => elapsedMs() < until, confirm: async () => false }
  }

  /** Returns null if the grant was, or may have been, changed meanwhile, which makes the answer useless. */
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
      // A server that sends no new refresh token means that the old one stays valid.
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
      const reason = failure.refusal(this.#shown(error), error.error, held.refreshingSince !== null)
      const hint = isCodeGrant(connection) ? undefined : failure.BY_SETTINGS
      const setback = this.#setBack(failure.unauthorized(name, reason, hint), PAUSE_MS.refused, 0)
      const tokens = gone ? null : held.tokens
      await this.#keepTrying({ ...next(claim), state: 'reconnect', reason, tokens, refreshingSince: null })
      this.#ports.warn('a connection has to be looked at', { connection: name, reason })
      return this.#makeDo({ ...held, tokens }, refused, setback)
    }
  }

  async #request(connection: ConnectionRecord, held: GrantRecord, standing: Standing | null): Promise<TokenSet> {
    for (let attempt = 0; ; attempt++)
      try {
        if (isCodeGrant(connection))
          return await this.#ports.oauth.refresh(settingsOf(connection), held.tokens!.refreshToken!, standing)
        return { ...(await this.#fetched(connection, standing)), refreshToken: null }
      } catch (error) {
        const delay = ATTEMPT_DELAYS_MS[attempt]
        if (!(error instanceof TokenUnavailable) || delay === undefined || error.retryAfterMs > delay) throw error
        await this.#ports.sleep(delay)
      }
  }

  #fetched(connection: ConnectionRecord, standing: Standing | null): Promise<TokenSet> {
    const { oauth } = this.#ports
    return connection.kind === 'jwt'
      ? oauth.jwtBearer(jwtSettingsOf(connection), standing)
      : oauth.clientCredentials(settingsOf(connection), standing)
  }

  /** Returns a token that cannot be refreshed until it expires; then throws. */
  async #toItsEnd(held: GrantRecord, refused: string | null): Promise<string> {
    const { connection, state, reason, tokens } = held
    if (!tokens) throw failure.unauthorized(connection, state === 'reconnect' ? reason! : failure.NOT_CONNECTED)
    if (tokens.accessToken !== refused && this.#isGood(held)) return tokens.accessToken
    await this.#put({ ...next(held), state: 'reconnect', reason: failure.NO_REFRESH_TOKEN, tokens: null })
    throw failure.unauthorized(connection, failure.NO_REFRESH_TOKEN)
  }

  /** Returns a token that has not expired yet, if there is one; otherwise throws `error`. */
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

  /** Stores the grant however long the database takes: the server does not issue the same tokens again. */
  async #keepTrying(grant: GrantRecord): Promise<boolean> {
    for (;;)
      try {
        return await this.#put(grant)
      } catch (error) {
        if (this.#stopped) throw error
        await this.#ports.sleep(STORE_RETRY_MS)
      }
  }

  /** Returns false if another process has changed the grant. */
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
    if (!connection || !hasTokens(connection) || connection.secrets === null)
      throw failure.unauthorized(name, failure.NOT_THERE, failure.BY_SAVING)
    return connection
  }

  /** Returns the connection with the secrets that are kept elsewhere. */
  async #whole(name: string): Promise<ConnectionRecord> {
    return { ...this.#connection(name), ...(await this.#ports.connections.whole(name)) }
  }
}

const partsOf = (connection: ConnectionRecord): string =>
  JSON.stringify(connection.kind === 'jwt' ? [jwtSettingsOf(connection), connection.outside] : settingsOf(connection))

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
