// Reads the environment, alone: every setting of docs/configuration.md, all checked together, with one clear line per fault.
import type { OidcProvider } from '../operations/ports/sign-in/oidc-client.ts'
import { parseEgressAllow } from '../outbound/egress-rules.ts'
import { ProxySettingFault, type ProxySettings, readProxySettings } from '../outbound/proxy/proxy-settings.ts'
import { isKeyText } from '../secrets/key-ring.ts'
import type { VaultSettings } from '../secrets/outside/hashicorp-vault.ts'
import { type AuditSettings, readDestinations } from './audit-log/read-destinations.ts'
import { ConfigError, type Environment, SettingReader } from './read-setting.ts'
import { readProviders } from './sign-in/read-providers.ts'
import { readAuthorities } from './tls/authorities.ts'

export interface Config {
  host: string
  port: number
  baseUrl: string
  /** The origin of the webhooks: `baseUrl`, or an origin with another host. */
  webhookBaseUrl: string
  dataDir: string
  /** The URL of PostgreSQL; null for the embedded database in the data folder. */
  databaseUrl: string | null
  role: Role
  /** The first key encrypts, all keys decrypt; null if the data folder holds the key. */
  secretKeys: string[] | null
  adminToken: string | null
  /** Single sign-on; `only`: passwords are for break-glass owners. */
  oidc: { providers: OidcProvider[]; only: boolean }
  /** The folder of secrets that connections name as `file:`; null if there is none. */
  secretsDir: string | null
  /** Where connections find what they name as `vault:`; null if there is none. */
  vault: VaultSettings | null
  /** What flows read as `env`: secrets. */
  env: Readonly<Record<string, string>>
  /** What flows read as `config`: plain. */
  variables: Readonly<Record<string, string>>
  egressAllow: string[]
  /** The proxy that outbound requests go through; null: none. */
  proxy: ProxySettings | null
  /** PEM: the authorities that are trusted besides the usual ones. */
  authorities: string[]
  maxBodyBytes: number
  bodyMemoryBytes: number
  /** The largest file. */
  maxFileBytes: number
  /** The bucket that files are kept in; null: the data folder, or PostgreSQL. */
  filesUrl: string | null
  webhookRate: number
  maxQueue: number
  maxPaused: number
  concurrency: number
  httpConcurrency: number
  httpPerHost: number
  retentionDays: number
  /** The mail server; null: no e-mail is sent. */
  smtpUrl: string | null
  smtpFrom: string | null
  /** The least time between two messages of one alert. */
  alertWindowMs: number
  /** How long a run is tried that Millrace itself cannot carry on. */
  giveUpAfterMs: number
  trustProxy: string[]
  /** Where the audit log is delivered to. */
  audit: AuditSettings
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/** `web` accepts runs and starts none; `worker` starts runs and accepts none. */
export type Role = 'all' | 'web' | 'worker'

/** Names the variable, the value's fault and an example in one line. */
const DEFAULT_BODY_MEMORY = 128 * 1024 ** 2
const DEFAULT_DATA_DIR = './.millrace'

export function readConfig(environment: Environment = process.env): Config {
  const read = new Reader(environment)
  read.verification()
  const port = read.integer('MILLRACE_PORT', 8080, 1, 65_535)
  const baseUrl = read.origin('MILLRACE_BASE_URL', `http://localhost:${port}`)
  const maxBodyBytes = read.size('MILLRACE_MAX_BODY', '10mb')
  return {
    host: read.text('MILLRACE_HOST', '127.0.0.1'),
    port,
    baseUrl,
    webhookBaseUrl: read.webhookBaseUrl(baseUrl),
    dataDir: read.text('MILLRACE_DATA_DIR', DEFAULT_DATA_DIR),
    databaseUrl: read.databaseUrl(),
    role: read.role(),
    secretKeys: read.secretKeys(),
    adminToken: read.adminToken(),
    oidc: read.oidc(),
    secretsDir: read.text('MILLRACE_SECRETS_DIR', '') || null,
    vault: read.vault(),
    env: read.prefixed('MILLRACE_ENV_'),
    variables: read.prefixed('MILLRACE_VAR_'),
    egressAllow: read.egressAllow(),
    proxy: read.proxy(),
    authorities: read.authorities(),
    maxBodyBytes,
    bodyMemoryBytes: read.bodyMemory(maxBodyBytes),
    maxFileBytes: read.size('MILLRACE_MAX_FILE', '100mb', 64),
    filesUrl: read.filesUrl(),
    webhookRate: read.number('MILLRACE_WEBHOOK_RATE', 0, 0, 1_000_000),
    maxPaused: read.integer('MILLRACE_MAX_PAUSED', 100_000, 1, 10_000_000),
    maxQueue: read.integer('MILLRACE_MAX_QUEUE', 100_000, 1, 10_000_000),
    concurrency: read.integer('MILLRACE_CONCURRENCY', 256, 1, 100_000),
    httpConcurrency: read.integer('MILLRACE_HTTP_CONCURRENCY', 256, 1, 100_000),
    httpPerHost: read.integer('MILLRACE_HTTP_PER_HOST', 64, 1, 100_000),
    retentionDays: read.number('MILLRACE_RETENTION_DAYS', 30, 0.001, 36_500),
    ...read.smtp(),
    alertWindowMs: read.number('MILLRACE_ALERT_WINDOW', 900, 1, 86_400) * 1000,
    giveUpAfterMs: read.number('MILLRACE_GIVE_UP_AFTER', 3_600, 0.01, 604_800) * 1000,
    trustProxy: read.cidrs('MILLRACE_TRUST_PROXY'),
    audit: read.audit(),
    logLevel: read.choice('MILLRACE_LOG_LEVEL', ['info', 'trace', 'debug', 'warn', 'error', 'silent']),
  }
}

/** The settings of the command line, which also works where the service's own settings are missing. */
export interface CommandLineSettings {
  /** null if MILLRACE_BASE_URL is not set. */
  baseUrl: string | null
  /** Whether MILLRACE_DATA_DIR is set, as it is where the service runs. */
  dataDirIsSet: boolean
  databaseUrl: string | null
  /** The URL of a server that was started without settings. */
  defaultUrl: string
  dataDir: string
  adminToken: string | null
  noColor: boolean
  /** PEM: the authorities that are trusted besides the usual ones. */
  authorities(): string[]
  /** Returns the settings of the service, as it would read them here. */
  service(): Config
  /** Returns any variable, for secrets that the user refers to by name. */
  variable(name: string): string | undefined
}

export function readCommandLineSettings(environment: Environment = process.env): CommandLineSettings {
  const read = new Reader(environment)
  const defaultUrl = `http://localhost:${read.integer('MILLRACE_PORT', 8080, 1, 65_535)}`
  const baseUrl = read.origin('MILLRACE_BASE_URL', '')
  return {
    baseUrl: baseUrl === '' ? null : baseUrl,
    defaultUrl,
    dataDir: read.text('MILLRACE_DATA_DIR', DEFAULT_DATA_DIR),
    dataDirIsSet: read.text('MILLRACE_DATA_DIR', '') !== '',
    databaseUrl: read.databaseUrl(),
    adminToken: read.adminToken(),
    noColor: Boolean(environment['NO_COLOR']) || environment['TERM'] === 'dumb',
    authorities: () => read.authorities(),
    service: () => readConfig(environment),
    variable: (name) => environment[name],
  }
}

const HOOKS_EXAMPLE = 'https://hooks.example.net'

const hostnameOf = (origin: string): string => new URL(origin).hostname.replace(/\.$/, '')

class Reader extends SettingReader {
  bodyMemory(maxBodyBytes: number): number {
    const name = 'MILLRACE_BODY_MEMORY'
    // Memory holds a compressed body twice: as received, and decoded.
    const least = 2 * maxBodyBytes
    const bytes = this.get(name) === undefined ? Math.max(DEFAULT_BODY_MEMORY, least) : this.size(name, '128mb', 64)
    if (bytes < least) this.refuse(name, 'it is less than twice MILLRACE_MAX_BODY', '128mb')
    return bytes
  }

  webhookBaseUrl(baseUrl: string): string {
    const name = 'MILLRACE_WEBHOOK_BASE_URL'
    const origin = this.origin(name, baseUrl)
    // The server tells requests apart by their host, and cookies ignore ports.
    if (this.get(name) !== undefined && hostnameOf(origin) === hostnameOf(baseUrl))
      this.refuse(name, `it has the host of MILLRACE_BASE_URL (${baseUrl}), and needs one of its own`, HOOKS_EXAMPLE)
    return origin
  }

  databaseUrl(): string | null {
    const name = 'DATABASE_URL'
    const text = this.get(name)
    if (text === undefined) return null
    // The message does not quote the value: it may hold a password.
    const url = URL.canParse(text) ? new URL(text) : null
    if (!url || !/^postgres(ql)?:$/.test(url.protocol))
      this.refuse(name, 'it is not a URL of PostgreSQL', 'postgres://millrace:password@db.example.com:5432/millrace')
    if (url.pathname.length < 2)
      this.refuse(name, 'it names no database', 'postgres://millrace:password@db.example.com:5432/millrace')
    return text
  }

  filesUrl(): string | null {
    const name = 'MILLRACE_FILES_URL'
    const example = 's3://KEY:SECRET@s3.eu-central-1.amazonaws.com/bucket/millrace?region=eu-central-1'
    const text = this.get(name)
    if (text === undefined) return null
    // The message does not quote the value: it holds a secret.
    const url = URL.canParse(text) ? new URL(text) : null
    if (url?.protocol !== 's3:' || !url.host) this.refuse(name, 'it is not a URL of a bucket', example)
    if (!url.username || !url.password) this.refuse(name, 'it holds no key and secret', example)
    if (!/^\/[\w.-]+(\/[\w./-]*)?$/.test(url.pathname)) this.refuse(name, 'it names no bucket', example)
    return text
  }

  smtp(): Pick<Config, 'smtpUrl' | 'smtpFrom'> {
    const name = 'MILLRACE_SMTP_URL'
    const text = this.get(name) ?? null
    const from = this.get('MILLRACE_SMTP_FROM') ?? null
    // The message does not quote the value: it may hold a password.
    if (text !== null && !(URL.canParse(text) && /^smtps?:$/.test(new URL(text).protocol)))
      this.refuse(name, 'it is not a URL of a mail server', 'smtp://user:password@mail.example.com:587')
    if (text !== null && !from?.includes('@'))
      this.refuse('MILLRACE_SMTP_FROM', `it is no e-mail address, and ${name} is set`, 'millrace@example.com')
    return { smtpUrl: text, smtpFrom: from }
  }

  vault(): VaultSettings | null {
    const name = 'MILLRACE_VAULT_ADDR'
    const address = this.get(name)?.replace(/\/+$/, '')
    if (!address) return null
    const url = URL.parse(address)
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
      this.refuse(name, 'it is not the URL of a Vault server', 'https://vault.example.com:8200')
    const [token, role] = [this.get('MILLRACE_VAULT_TOKEN'), this.get('MILLRACE_VAULT_ROLE')]
    if (!token === !role)
      this.refuse(
        name,
        'it is set: give either MILLRACE_VAULT_TOKEN, or MILLRACE_VAULT_ROLE on Kubernetes',
        'https://vault.example.com:8200',
      )
    return { address, access: token ? { token } : { role: role! } }
  }

  authorities(): string[] {
    const name = 'MILLRACE_CA_FILE'
    const path = this.get(name)
    const found = path === undefined ? [] : readAuthorities(path)
    return typeof found === 'string' ? this.refuse(name, found, '/etc/ssl/company-ca.pem') : found
  }

  /** Node would trust every certificate, for everybody and without a trace. */
  verification(): void {
    const name = 'NODE_TLS_REJECT_UNAUTHORIZED'
    if (this.get(name) === '0')
      throw new ConfigError(
        `${name}: it is 0, which would let anybody pose as any server. Unset it, and name the authorities to trust: for everything in MILLRACE_CA_FILE, or in ca of a connection's TLS settings.`,
      )
  }

  role(): Role {
    const role = this.choice('MILLRACE_ROLE', ['all', 'web', 'worker'])
    if (role !== 'all' && !this.get('DATABASE_URL'))
      this.refuse('MILLRACE_ROLE', `${role} needs PostgreSQL; set DATABASE_URL too`, 'all')
    return role
  }

  secretKeys(): string[] | null {
    const name = 'MILLRACE_SECRET_KEY'
    const keys = this.list(name)
    for (const [i, key] of keys.entries())
      if (!isKeyText(key))
        this.refuse(
          name,
          `${keys.length > 1 ? `key ${i + 1} of the list` : 'it'} is not 32 bytes in base64`,
          '$(openssl rand -base64 32)',
        )
    return keys.length ? keys : null
  }

  adminToken(): string | null {
    const token = this.get('MILLRACE_ADMIN_TOKEN') ?? null
    if (token !== null && token.length < 16)
      this.refuse('MILLRACE_ADMIN_TOKEN', 'it is shorter than 16 characters', '$(openssl rand -hex 24)')
    return token
  }

  oidc(): Config['oidc'] {
    const variables = {
      issuer: 'MILLRACE_OIDC_ISSUER',
      clientId: 'MILLRACE_OIDC_CLIENT_ID',
      clientSecret: 'MILLRACE_OIDC_CLIENT_SECRET',
      name: 'MILLRACE_OIDC_NAME',
      roles: 'MILLRACE_OIDC_ROLES',
      defaultRole: 'MILLRACE_OIDC_DEFAULT_ROLE',
    }
    const providers = readProviders(variables, {
      get: (name) => this.get(name),
      refuse: (name, fault, example) => this.refuse(name, fault, example),
    })
    const only = this.choice('MILLRACE_OIDC_ONLY', ['false', 'true']) === 'true'
    if (only && providers.length === 0)
      this.refuse('MILLRACE_OIDC_ONLY', 'there is no provider to sign in with; set MILLRACE_OIDC_ISSUER', 'false')
    return { providers, only }
  }

  audit(): AuditSettings {
    const names = {
      syslog: 'MILLRACE_AUDIT_SYSLOG',
      webhook: 'MILLRACE_AUDIT_WEBHOOK',
      webhookSecret: 'MILLRACE_AUDIT_WEBHOOK_SECRET',
    }
    return readDestinations(names, {
      get: (name) => this.get(name),
      refuse: (name, fault, example) => this.refuse(name, fault, example),
    })
  }

  egressAllow(): string[] {
    const name = 'MILLRACE_EGRESS_ALLOW'
    const entries = this.list(name)
    try {
      parseEgressAllow(entries)
    } catch (error) {
      this.refuse(name, (error as Error).message.replace(/\.$/, ''), 'private,127.0.0.1/32,api.internal')
    }
    return entries
  }

  /** Reads MILLRACE_PROXY and MILLRACE_NO_PROXY, or what the first one says to take in their place. */
  proxy(): ProxySettings | null {
    try {
      return readProxySettings((name) => this.get(name))
    } catch (error) {
      if (!(error instanceof ProxySettingFault)) throw error
      return this.refuse(error.setting, error.message, error.example)
    }
  }
}
