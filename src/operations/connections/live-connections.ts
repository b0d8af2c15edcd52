// Keeps every connection in memory, unsealed and current, so that steps read fields without asking the database.

import { CODE, filled, OUTBOUND_ERRORS } from '../../base/error-catalogue.ts'
import { OutboundError } from '../../engine/ports/http-client.ts'
import type { ConnectionShape } from '../../flow/validate/connection-use.ts'
import type { ConnectionRecord, Tokens } from '../ports/connections.ts'
import type { Secrets } from '../ports/secrets.ts'
import { allows, type HostRule, parseHostRule } from './host-rules.ts'

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
  readonly #records = new Map<string, ConnectionRecord>()
  /** The tokens that OAuth connections were granted. */
  readonly #tokens = new Map<string, Tokens>()
  /** The connections that are about to be deleted: nothing new may refer to them. */
  readonly #leaving = new Set<string>()
  readonly #limits = new Map<string, Limit>()
  /** Finds the secrets of all limited connections at once: most texts hold none. */
  #holdsLimited: ((text: string) => boolean) | null = null

  #kindChanged = () => {}

  constructor(secrets: Secrets) {
    this.#secrets = secrets
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
    if (before?.kind !== record.kind) this.#kindChanged()
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
    this.#tokens.delete(name)
    delete this.fields[name]
    this.#limit(name, [], [])
    this.#secrets.setSource(sourceOf(name), [])
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
    const values = Object.values(secrets ?? {})
    if (tokens) values.push(tokens.accessToken)
    if (tokens?.refreshToken) values.push(tokens.refreshToken)
    // Secrets are registered for hiding before any step can use them.
    this.#secrets.setSource(sourceOf(name), values)
    this.fields[name] = Object.freeze(
      Object.assign(Object.create(null), fields, secrets, tokens && { accessToken: tokens.accessToken }),
    )
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

export const shapeOf = ({ kind, fields, secrets }: ConnectionRecord): ConnectionShape => ({
  kind,
  open: new Set(Object.keys(fields)),
  // The token exists already or is fetched when a step needs it.
  fields: new Set([
    ...Object.keys(fields),
    ...Object.keys(secrets ?? {}),
    ...(kind === 'oauth2' ? ['accessToken'] : []),
  ]),
})

const sourceOf = (name: string): string => `connection:${name}`
