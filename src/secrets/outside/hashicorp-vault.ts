// Reads fields of secrets from HashiCorp Vault, from its key-value engine of version 2.
import { readFile } from 'node:fs/promises'
import { isObject } from '../../base/is-object.ts'
import type { HttpClient, OutboundReply } from '../../engine/ports/http-client.ts'

export interface VaultSettings {
  /** The origin, and a path if Vault is behind one. */
  address: string
  /** A token, or the role to sign in with as a service account of Kubernetes. */
  access: { token: string } | { role: string }
}

/** Where Kubernetes puts the token of a pod's service account. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount/token'
const TIMEOUT_MS = 5_000

export class HashicorpVault {
  readonly #settings: VaultSettings
  readonly #http: HttpClient
  readonly #serviceAccount: string
  readonly #elapsedMs: () => number
  #session: { token: string; until: number } | null = null

  constructor(
    settings: VaultSettings,
    http: HttpClient,
    elapsedMs: () => number = () => performance.now(),
    serviceAccount = SERVICE_ACCOUNT,
  ) {
    this.#settings = settings
    this.#http = http
    this.#elapsedMs = elapsedMs
    this.#serviceAccount = serviceAccount
  }

  /** Throws an Error whose message says what is wrong. */
  async read(path: string, field: string): Promise<string> {
    let reply = await this.#get(path)
    if (reply.status === 403 && this.#session) {
      // The session may have been revoked.
      this.#session = null
      reply = await this.#get(path)
    }
    if (reply.status === 404) throw new Error(`Vault has no secret at ${path}`)
    if (reply.status === 403) throw new Error(`Vault does not let Millrace read ${path}`)
    if (reply.status !== 200) throw new Error(`Vault replied ${reply.status}`)
    const { data } = bodyOf(reply)
    const fields = isObject(data) && isObject(data['data']) ? data['data'] : {}
    const value = Object.hasOwn(fields, field) ? fields[field] : undefined
    if (typeof value !== 'string' || value === '')
      throw new Error(`the secret at ${path} in Vault has no text ${field}`)
    return value
  }

  async #get(path: string): Promise<OutboundReply> {
    // Vault's own tools write the path without `data`, which follows the mount in the API.
    const names = path.split('/')
    const whole = names.includes('data') ? path : [names[0], 'data', ...names.slice(1)].join('/')
    return this.#send('GET', `/v1/${whole}`, await this.#token(), null)
  }

  async #token(): Promise<string> {
    const { access } = this.#settings
    if ('token' in access) return access.token
    if (this.#session && this.#elapsedMs() < this.#session.until) return this.#session.token
    const jwt = await readFile(this.#serviceAccount, 'utf8').catch(() => {
      throw new Error(
        'there is no token of a Kubernetes service account here, with which Millrace would sign in to Vault',
      )
    })
    const body = JSON.stringify({ role: access.role, jwt: jwt.trim() })
    const reply = await this.#send('POST', '/v1/auth/kubernetes/login', null, body)
    const auth = reply.status === 200 ? bodyOf(reply)['auth'] : null
    if (!isObject(auth) || typeof auth['client_token'] !== 'string')
      throw new Error(`Vault does not let Millrace sign in with the role ${access.role} (${reply.status})`)
    const seconds = typeof auth['lease_duration'] === 'number' ? auth['lease_duration'] : 0
    this.#session = { token: auth['client_token'], until: this.#elapsedMs() + (seconds * 1000) / 2 }
    return this.#session.token
  }

  async #send(method: string, path: string, token: string | null, body: string | null): Promise<OutboundReply> {
    const headers = [{ name: 'Accept', value: 'application/json', credential: false }]
    if (token !== null) headers.push({ name: 'X-Vault-Token', value: token, credential: true })
    if (body !== null) headers.push({ name: 'Content-Type', value: 'application/json', credential: false })
    const request = { method, url: this.#settings.address + path, headers, body, timeoutMs: TIMEOUT_MS }
    try {
      return await this.#http.send({ ...request, followRedirects: false, hops: 0, signal: null })
    } catch (error) {
      throw new Error(`Vault could not be asked: ${(error as Error).message}`)
    }
  }
}

function bodyOf({ body }: OutboundReply): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body).toString())
    if (isObject(parsed)) return parsed
  } catch {}
  throw new Error('the reply of Vault is no JSON')
}
