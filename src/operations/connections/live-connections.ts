// Keeps every connection in memory, unsealed and current, so that steps read fields without asking the database.

import { CODE, CONNECTION_ERRORS, filled, OUTBOUND_ERRORS } from '../../base/error-catalogue.ts'
import { isWithin } from '../../base/flow-limit.ts'
import { isTlsPart } from '../../base/tls-parts.ts'
import { ConnectionError } from '../../engine/ports/connections.ts'
import { OutboundError } from '../../engine/ports/http-client.ts'
import type { TlsIdentity } from '../../engine/ports/tls.ts'
import type { ConnectionShape } from '../../flow/validate/connection-use.ts'
import type { ConnectionRecord, OpenTls, Tokens } from '../ports/connections.ts'
import type { OutsideSecrets, Secrets } from '../ports/secrets.ts'
import { allows, type HostRule, parseHostRule } from './host-rules.ts'
import { identityOf, partName, tlsOf } from './tls-fields.ts'

interface Limit {
  name: string
  hosts: readonly string[]
  rules: readonly HostRule[]
  values: readonly string[]
  holds(text: string): boolean
}

export class LiveConnections {
  readonly fields: Record<string, Readonly<Record<string, unknown>>> = Object.create(null)
  readonly #secrets: Secrets
  readonly #outside: OutsideSecrets
  readonly #openTls: OpenTls
  readonly #tagsOf: TagsOfFlow
  /** How many connections are not for all flows. */
  #narrow = 0
  /** The fields that were read from outside, by connection. Those that could not be read are missing. */
  readonly #read = new Map<string, Readonly<Record<string, string>>>()
  readonly #records = new Map<string, ConnectionRecord>()
  /** The tokens of connections that get access tokens. */
  readonly #tokens = new Map<string, Tokens>()
  /** The connections that are about to be deleted: nothing new may refer to them. */
  readonly #leaving = new Set<string>()
  readonly #limits = new Map<string, Limit>()
  /** One object for as long as nothing in it changes; null: the connection has no TLS settings. */
  readonly #tls = new Map<string, TlsIdentity | null>()
  /** The certificates in the PKCS#12 files that are kept elsewhere, as they were when the file was read. */
  readonly #inFile = new Map<string, string>()
  /** Finds the secrets of all limited connections at once: most texts hold none. */
  #holdsLimited: ((text: string) => boolean) | null = null

  #kindChanged = () => {}

  constructor(
    secrets: Secrets,
    outside: OutsideSecrets = NOTHING_OUTSIDE,
    openTls: OpenTls = NOT_OPENED,
    tagsOf: TagsOfFlow = NO_TAGS,
  ) {
    this.#tagsOf = tagsOf
    this.#secrets = secrets
    this.#outside = outside
    this.#openTls = openTls
  }

  /** Sets the callback for a change of a connection's kind, after which flows must be compiled again. */
  whenKindChanges(then: () => void): void {
    this.#kindChanged = then
  }

  get(name: string): ConnectionRecord | undefined {
    return this.#records.get(name)
  }

  all(): ConnectionRecord[] {
    return [...this.#records.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Takes over a stored connection, unless memory has a newer revision. */
  put(record: ConnectionRecord): void {
    const { name, revision } = record
    const before = this.#records.get(name)
    if ((before?.revision ?? -1) > revision) return
    this.#records.set(name, record)
    this.#countNarrow()
    if (before?.kind !== record.kind) this.#kindChanged()
    this.#read.delete(name)
    if (before?.revision !== revision) this.#inFile.delete(name)
    this.#open(record)
  }

  setTokens(name: string, tokens: Tokens | null): void {
    if (tokens) this.#tokens.set(name, tokens)
    else this.#tokens.delete(name)
    const record = this.#records.get(name)
    if (record) this.#open(record)
  }

  take(name: string): void {
    this.#records.delete(name)
    this.#countNarrow()
    this.#tokens.delete(name)
    this.#read.delete(name)
    this.#inFile.delete(name)
    this.#tls.delete(name)
    delete this.fields[name]
    this.#limit(name, [], [])
    this.#secrets.setSource(sourceOf(name), [])
  }

  /**
   * Checks that these connections are for the flow, null: that no flow uses them, and reads what they keep elsewhere, unless it was
   * read within the last minute; null if there is nothing to wait for. Rejects with ConnectionError.
   */
  fresh(names: readonly string[], flowId: string | null): Promise<void> | null {
    if (this.#narrow > 0 && flowId !== null) {
      const narrow = names.filter((name) => this.#records.get(name)?.onlyFor)
      if (narrow.length) return this.#requireFor(narrow, flowId).then(() => this.#freshened(names) ?? undefined)
    }
    return this.#freshened(names)
  }

  /** Whether the flow has the tag is read each time: it may have lost it a moment ago, by another process. */
  async #requireFor(names: readonly string[], flowId: string): Promise<void> {
    let tags: readonly string[] | null = null
    for (const name of names) {
      const limit = this.#records.get(name)?.onlyFor
      if (!limit || isWithin(limit, flowId, [])) continue
      if (limit.tags.length) tags ??= await this.#tagsOf(flowId)
      if (!isWithin(limit, flowId, tags ?? [])) throw notForFlow(name)
    }
  }

  #countNarrow(): void {
    this.#narrow = 0
    for (const { onlyFor } of this.#records.values()) if (onlyFor) this.#narrow++
  }

  #freshened(names: readonly string[]): Promise<void> | null {
    const stale = names.filter((name) => this.#isStale(name))
    return stale.length ? Promise.all(stale.map((name) => this.#readOutside(name))).then(() => {}) : null
  }

  /** Returns the TLS settings of a connection, with what of them is kept elsewhere; null if it has none. */
  tls(name: string, flowId: string | null): TlsIdentity | null | Promise<TlsIdentity | null> {
    const fresh = this.fresh([name], flowId)
    return fresh ? fresh.then(() => this.identity(name)) : this.identity(name)
  }

  /** Returns what `tls` does, as far as it was read. */
  identity(name: string): TlsIdentity | null {
    const known = this.#tls.get(name)
    if (known !== undefined) return known
    const record = this.#records.get(name)
    const values = record && { ...record.fields, ...record.secrets, ...this.#read.get(name) }
    const made = record ? identityOf(record, values!, this.#inFile.get(name)) : null
    this.#tls.set(name, made)
    return made
  }

  /** Returns the connection with all of its secrets, also those that are kept elsewhere; undefined if there is none. */
  async whole(name: string): Promise<ConnectionRecord | undefined> {
    await this.#freshened([name])
    const record = this.#records.get(name)
    const read = this.#read.get(name)
    return record && read ? { ...record, secrets: { ...record.secrets, ...read } } : record
  }

  #isStale(name: string): boolean {
    const outside = this.#records.get(name)?.outside
    if (!outside) return false
    const read = this.#read.get(name)
    for (const field in outside) if (!read || this.#outside.known(outside[field]!) !== read[field]) return true
    return false
  }

  async #readOutside(name: string): Promise<void> {
    const record = this.#records.get(name)!
    const read: Record<string, string> = Object.create(null)
    for (const [field, reference] of Object.entries(record.outside))
      try {
        read[field] = this.#outside.known(reference) ?? (await this.#outside.read(reference))
      } catch (error) {
        throw outsideUnavailable(name, field, (error as Error).message)
      }
    const opened = await this.#openOutside(record, read)
    // It was changed meanwhile: whoever uses it next reads again.
    if (this.#records.get(name) !== record) return
    this.#read.set(name, read)
    if (opened !== null) this.#inFile.set(name, opened)
    this.#open(record)
  }

  /** Opens certificates and keys that are kept elsewhere, if they are others than before; returns the certificate in a file. */
  async #openOutside(record: ConnectionRecord, read: Readonly<Record<string, string>>): Promise<string | null> {
    const { name, kind, fields, secrets, outside } = record
    const before = this.#read.get(name)
    const parts = Object.keys(tlsOf(kind, outside) ?? {}).map((part) => partName(kind, part as 'key'))
    if (parts.every((field) => before?.[field] === read[field])) return null
    const { faults, certificate } = await this.#openTls(tlsOf(kind, { ...fields, ...secrets, ...read })!)
    if (faults.length) throw outsideUnavailable(name, partName(kind, faults[0]!.field), `it ${faults[0]!.message}`)
    return certificate
  }

  /** Runs `work`, which decides on the deletion. Meanwhile no flow that uses the connection can be published. */
  async whileLeaving<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#leaving.add(name)
    try {
      return await work()
    } finally {
      this.#leaving.delete(name)
    }
  }

  shapes(): Map<string, ConnectionShape> {
    const shapes = new Map<string, ConnectionShape>()
    for (const record of this.#records.values())
      if (!this.#leaving.has(record.name)) shapes.set(record.name, shapeOf(record))
    return shapes
  }

  isSecretField(name: string, field: string): boolean {
    const record = this.#records.get(name)
    return !record || !Object.hasOwn(record.fields, field)
  }

  checkHost(url: URL, texts: () => Iterable<string>, named: () => Iterable<string>): void {
    const closed = [...this.#limits.values()].filter(({ rules }) => !allows(rules, url))
    if (closed.length === 0) return
    for (const name of named()) {
      const limit = closed.find((one) => one.name === name)
      if (limit) throw hostNotAllowed(limit, url)
    }
    this.#holdsLimited ??= this.#secrets.finder([...this.#limits.values()].flatMap(({ values }) => values))
    for (const text of texts()) {
      const limit = this.#holdsLimited(text) && closed.find(({ holds }) => holds(text))
      if (limit) throw hostNotAllowed(limit, url)
    }
  }

  #open({ name, fields, secrets, hosts }: ConnectionRecord): void {
    const tokens = this.#tokens.get(name)
    const read = this.#read.get(name)
    const values = [...Object.values(secrets ?? {}), ...Object.values(read ?? {})]
    if (tokens) values.push(tokens.accessToken)
    if (tokens?.refreshToken) values.push(tokens.refreshToken)
    // Secrets are registered for hiding before any step can use them.
    this.#secrets.setSource(sourceOf(name), values)
    const readable = Object.assign(Object.create(null), fields, secrets, read)
    // Templates read no part of it: a step names the connection.
    for (const field in readable) if (isTlsPart(field)) delete readable[field]
    this.fields[name] = Object.freeze(Object.assign(readable, tokens && { accessToken: tokens.accessToken }))
    this.#tls.delete(name)
    this.#limit(name, hosts, values)
  }

  #limit(name: string, hosts: readonly string[], values: readonly string[]): void {
    this.#holdsLimited = null
    this.#limits.delete(name)
    if (hosts.length === 0 || values.length === 0) return
    const rules = hosts.map((host) => parseHostRule(host)!)
    this.#limits.set(name, { name, hosts, rules, values, holds: this.#secrets.finder(values) })
  }
}

const hostNotAllowed = ({ name, hosts }: Limit, url: URL): OutboundError =>
  new OutboundError(
    CODE.host_not_allowed,
    filled(OUTBOUND_ERRORS.host_not_allowed.message, { connection: name, host: url.host }),
    filled(OUTBOUND_ERRORS.host_not_allowed.hint, { hosts: hosts.join(', ') }),
  )

const notForFlow = (name: string): ConnectionError =>
  new ConnectionError(
    CODE.connection_not_for_flow,
    name,
    filled(CONNECTION_ERRORS.connection_not_for_flow.message, { connection: name }),
    CONNECTION_ERRORS.connection_not_for_flow.hint,
  )

const outsideUnavailable = (name: string, field: string, why: string): ConnectionError =>
  new ConnectionError(
    CODE.secret_unavailable,
    name,
    filled(CONNECTION_ERRORS.secret_unavailable.message, { connection: name, field, why }),
    CONNECTION_ERRORS.secret_unavailable.hint,
  )

/** Returns whether the connection gets access tokens, in place of holding a credential itself. */
export const hasTokens = ({ kind }: Pick<ConnectionRecord, 'kind'>): boolean => kind === 'oauth2' || kind === 'jwt'

export const shapeOf = ({ kind, fields, secrets, outside, onlyFor }: ConnectionRecord): ConnectionShape => ({
  kind,
  onlyFor,
  tls: tlsOf(kind, { ...fields, ...secrets, ...outside }) !== null,
  open: new Set(Object.keys(fields).filter((field) => !isTlsPart(field))),
  // The token exists already or is fetched when a step needs it.
  fields: new Set([
    ...[fields, secrets ?? {}, outside].flatMap((some) => Object.keys(some).filter((field) => !isTlsPart(field))),
    ...(hasTokens({ kind }) ? ['accessToken'] : []),
  ]),
})

/** Returns the tags of the flow as it is now. */
type TagsOfFlow = (flowId: string) => Promise<readonly string[]>

/** For where no connection is limited. */
const NO_TAGS: TagsOfFlow = async () => []

/** For where nothing is kept elsewhere. */
const NOT_OPENED: OpenTls = async () => ({ faults: [], certificate: null })

/** For where no server says which secrets there are. */
const NOTHING_OUTSIDE: OutsideSecrets = {
  known: () => null,
  read: () => Promise.reject(new Error('it can be read by a server only')),
}

const sourceOf = (name: string): string => `connection:${name}`
