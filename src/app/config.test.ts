import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

describe('readConfig', () => {
  it('has the defaults of the contract', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 8080,
      baseUrl: 'http://localhost:8080',
      webhookBaseUrl: 'http://localhost:8080',
      dataDir: './.millrace',
      databaseUrl: null,
      role: 'all',
      secretKeys: null,
      adminToken: null,
      oidc: { providers: [], only: false },
      secretsDir: null,
      vault: null,
      env: {},
      variables: {},
      egressAllow: [],
      proxy: null,
      authorities: [],
      maxBodyBytes: 10_485_760,
      maxFileBytes: 104_857_600,
      filesUrl: null,
      bodyMemoryBytes: 134_217_728,
      webhookRate: 0,
      maxQueue: 100_000,
      maxPaused: 100_000,
      concurrency: 256,
      httpConcurrency: 256,
      httpPerHost: 64,
      retentionDays: 30,
      giveUpAfterMs: 3_600_000,
      smtpUrl: null,
      smtpFrom: null,
      alertWindowMs: 900_000,
      trustProxy: [],
      audit: { syslog: null, webhook: null },
      logLevel: 'info',
    })
  })

  it('reads sizes in binary units', () => {
    expect(readConfig({ MILLRACE_MAX_BODY: '1.5kb' }).maxBodyBytes).toBe(1536)
    expect(readConfig({ MILLRACE_MAX_BODY: '512' }).maxBodyBytes).toBe(512)
  })

  it('keeps room for bodies as large as they may be', () => {
    expect(readConfig({ MILLRACE_MAX_BODY: '1gb' }).bodyMemoryBytes).toBe(2 * 1024 ** 3)
    expect(readConfig({ MILLRACE_BODY_MEMORY: '20mb' }).bodyMemoryBytes).toBe(20_971_520)
  })

  it('takes a bucket with its key, and quotes nothing of it', () => {
    const url = 's3://KEY:S3CRET@s3.example.com/bucket/folder?region=eu-central-1'
    expect(readConfig({ MILLRACE_FILES_URL: url }).filesUrl).toBe(url)
    for (const wrong of ['S3CRET', 'https://KEY:S3CRET@s3.example.com/bucket', 's3://KEY:S3CRET@s3.example.com/'])
      expect(() => readConfig({ MILLRACE_FILES_URL: wrong })).toThrow(/^(?!.*S3CRET).*MILLRACE_FILES_URL: it /)
  })

  it('reads the authorities to trust, and says what is wrong with their file', () => {
    const file = fileURLToPath(new URL('../outbound/certificates.testkit/authority.pem', import.meta.url))
    expect(readConfig({ MILLRACE_CA_FILE: file }).authorities).toEqual([readFileSync(file, 'utf8').trim()])
    for (const [path, fault] of [
      [`${file}.missing`, 'the file cannot be read (ENOENT)'],
      [file.replace('authority.pem', 'key.pem'), 'the file holds no certificate in PEM'],
    ])
      expect(() => readConfig({ MILLRACE_CA_FILE: path })).toThrow(`MILLRACE_CA_FILE: ${fault}`)
  })

  it('does not start where Node would trust every certificate', () => {
    const start = () => readConfig({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })
    expect(start).toThrow(/^NODE_TLS_REJECT_UNAUTHORIZED: .*MILLRACE_CA_FILE.*ca of a connection/)
    expect(readConfig({ NODE_TLS_REJECT_UNAUTHORIZED: '1' }).authorities).toEqual([])
  })

  it('takes the destinations of the audit log, and quotes no secret', () => {
    const syslogOf = (url: string) => readConfig({ MILLRACE_AUDIT_SYSLOG: url }).audit.syslog
    expect(syslogOf('udp://logs.example.com')).toEqual({ protocol: 'udp', host: 'logs.example.com', port: 514 })
    expect(syslogOf('tls://logs.example.com')).toMatchObject({ protocol: 'tls', port: 6514 })
    expect(syslogOf('tcp://[::1]:1601/')).toEqual({ protocol: 'tcp', host: '::1', port: 1601 })
    for (const wrong of [
      'logs.example.com',
      'http://logs.example.com',
      'udp://',
      'tcp://host:99999',
      'tls://host/path',
    ])
      expect(() => syslogOf(wrong)).toThrow('MILLRACE_AUDIT_SYSLOG')
    const url = 'https://siem.example.com/?key=S3CRET'
    const secret = `whsec_${Buffer.alloc(24).toString('base64')}`
    const webhookOf = (given: string, key: string) =>
      readConfig({ MILLRACE_AUDIT_WEBHOOK: given, MILLRACE_AUDIT_WEBHOOK_SECRET: key }).audit.webhook
    expect(webhookOf(url, secret)).toEqual({ url, secret })
    expect(() => webhookOf(url, 'S3CRET')).toThrow(/^MILLRACE_AUDIT_WEBHOOK_SECRET: (?!.*S3CRET)/)
    expect(() => webhookOf('ftp://S3CRET', secret)).toThrow(/^MILLRACE_AUDIT_WEBHOOK: (?!.*S3CRET)/)
  })

  it('gives flows the variables with the prefix, and no others', () => {
    const { env, variables } = readConfig({
      MILLRACE_ENV_API: 'x',
      MILLRACE_VAR_URL: 'z',
      MILLRACE_VAR_: 'y',
      MILLRACE_ENV_: 'y',
      HOME: '/root',
      MILLRACE_ADMIN_TOKEN: '0123456789abcdef',
    })
    expect({ ...env }).toEqual({ API: 'x' })
    expect({ ...variables }).toEqual({ URL: 'z' })
  })

  it.each([
    ['MILLRACE_PORT', 'http', 'not a number'],
    ['MILLRACE_PORT', '70000', 'not between 1 and 65535'],
    ['MILLRACE_CONCURRENCY', '1.5', 'not a whole number'],
    ['MILLRACE_MAX_BODY', '10 potatoes', 'not a size'],
    ['MILLRACE_BODY_MEMORY', '15mb', 'less than twice MILLRACE_MAX_BODY'],
    ['MILLRACE_BODY_MEMORY', '65gb', 'not between 1 byte and 64gb'],
    ['MILLRACE_BASE_URL', 'flows.example.com', 'not an http or https URL'],
    ['MILLRACE_BASE_URL', 'https://example.com/flows', 'more than an origin'],
    ['MILLRACE_WEBHOOK_BASE_URL', 'https://example.com/hooks', 'more than an origin'],
    ['MILLRACE_WEBHOOK_BASE_URL', 'https://LOCALHOST.:8443', 'needs one of its own'],
    ['MILLRACE_VAULT_ADDR', 'vault.example.com', 'not the URL of a Vault server'],
    ['MILLRACE_VAULT_ADDR', 'https://vault.example.com', 'give either MILLRACE_VAULT_TOKEN'],
    ['MILLRACE_ADMIN_TOKEN', 'short', 'shorter than 16 characters'],
    ['MILLRACE_SECRET_KEY', 'bm90IDMyIGJ5dGVz', 'it is not 32 bytes in base64'],
    [
      'MILLRACE_SECRET_KEY',
      `${Buffer.alloc(32, 7).toString('base64')},hunter2`,
      'key 2 of the list is not 32 bytes in base64',
    ],
    ['MILLRACE_LOG_LEVEL', 'loud', 'not one of'],
    ['MILLRACE_TRUST_PROXY', '10.0.0.0/99', 'not an address or CIDR range'],
    ['MILLRACE_EGRESS_ALLOW', 'http://x', 'http://x'],
    ['MILLRACE_ROLE', 'worker', 'needs PostgreSQL'],
  ])('refuses %s=%s in one line with an example', (name, value, fault) => {
    const read = () => readConfig({ [name]: value })
    expect(read).toThrow(fault)
    try {
      read()
    } catch (error) {
      const { message } = error as Error
      expect(message.startsWith(`${name}: `)).toBe(true)
      expect(message).toContain(`Example: ${name}=`)
      expect(message).not.toContain('\n')
    }
  })

  it('reads a list of keys', () => {
    const keys = [1, 2].map((n) => Buffer.alloc(32, n).toString('base64'))
    expect(readConfig({ MILLRACE_SECRET_KEY: keys.join(', ') }).secretKeys).toEqual(keys)
  })

  it('does not repeat a key that is none', () => {
    expect(() => readConfig({ MILLRACE_SECRET_KEY: 'hunter2' })).not.toThrow('hunter2')
  })

  it('does not repeat a token that is too short', () => {
    expect(() => readConfig({ MILLRACE_ADMIN_TOKEN: 'hunter2' })).not.toThrow('hunter2')
  })
})
