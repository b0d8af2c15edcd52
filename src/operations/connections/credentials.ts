// Gives a connection to a request as a whole: what it sends, by its kind.
import type { Credential, KnownChallenge } from '../../engine/ports/connections.ts'
import type { ConnectionRecord } from '../ports/connections.ts'
import { hasTokens, type LiveConnections } from './live-connections.ts'
import * as failure from './token-failures.ts'

export class Credentials {
  readonly #connections: LiveConnections
  readonly #accessToken: (name: string) => string | Promise<string>
  /** The challenges of servers, until the connection changes. */
  readonly #challenges = new WeakMap<ConnectionRecord, Map<string, KnownChallenge>>()

  constructor(connections: LiveConnections, accessToken: (name: string) => string | Promise<string>) {
    this.#connections = connections
    this.#accessToken = accessToken
  }

  /** Fails with ConnectionError. */
  async of(name: string, flowId: string | null): Promise<Credential> {
    await this.#connections.fresh([name], flowId)
    const record = this.#connections.get(name)
    if (record && hasTokens(record)) return { kind: 'token', token: await this.#accessToken(name) }
    if (!record || record.secrets === null) throw failure.unauthorized(name, failure.NOT_READABLE, failure.BY_SAVING)
    const fields = this.#connections.fields[name]!
    const text = (field: string) => {
      const value = fields[field]
      return typeof value === 'string' ? value : ''
    }
    switch (record.kind) {
      case 'basic':
        return { kind: 'basic', username: text('username'), password: text('password') }
      case 'bearer':
        return { kind: 'bearer', token: text('token') }
      case 'apiKey':
        return {
          kind: 'apiKey',
          name: text('name'),
          value: text('value'),
          in: fields['in'] === 'query' ? 'query' : 'header',
        }
      case 'digest':
        return {
          kind: 'digest',
          username: text('username'),
          password: text('password'),
          challenges: this.#challengesOf(record),
        }
      case 'aws':
        return {
          kind: 'aws',
          accessKeyId: text('accessKeyId'),
          secretAccessKey: text('secretAccessKey'),
          sessionToken: text('sessionToken') || null,
          region: text('region'),
          service: text('service'),
        }
      case 'tls':
        return { kind: 'certificate' }
      default:
        throw failure.unauthorized(name, failure.nothingToSend(record.kind), failure.BY_TEMPLATE)
    }
  }

  #challengesOf(record: ConnectionRecord): Map<string, KnownChallenge> {
    const known = this.#challenges.get(record) ?? new Map<string, KnownChallenge>()
    this.#challenges.set(record, known)
    return known
  }
}
