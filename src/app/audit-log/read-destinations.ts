// Reads where the audit log is delivered to.
import type { SyslogServer } from './syslog.ts'
import type { AuditWebhook } from './webhook.ts'

export interface AuditSettings {
  syslog: SyslogServer | null
  webhook: AuditWebhook | null
}

interface Environment {
  get(name: string): string | undefined
  refuse(name: string, fault: string, example: string): never
}

const PORTS = { udp: 514, tcp: 601, tls: 6514 } as const
/** Standard Webhooks ask for at least 24 bytes. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/

/** The names are given, so that only one file of the project has the names of settings. */
export function readDestinations(
  names: { syslog: string; webhook: string; webhookSecret: string },
  { get, refuse }: Environment,
): AuditSettings {
  return { syslog: syslogOf(), webhook: webhookOf() }

  function syslogOf(): SyslogServer | null {
    const text = get(names.syslog)
    if (text === undefined) return null
    // URLs of these schemes are read as those of a known one: their hosts are checked then.
    const [, protocol, rest] = /^(udp|tcp|tls):\/\/([^/?#@]+)\/?$/.exec(text) ?? []
    const url = rest === undefined ? null : URL.parse(`ftp://${rest}`)
    if (!url?.hostname)
      return refuse(
        names.syslog,
        `"${text}" is not udp://, tcp:// or tls:// with a host`,
        'tls://logs.example.com:6514',
      )
    const known = protocol as SyslogServer['protocol']
    return {
      protocol: known,
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? PORTS[known] : Number(url.port),
    }
  }

  function webhookOf(): AuditWebhook | null {
    const [url, secret] = [get(names.webhook), get(names.webhookSecret)]
    if (url === undefined) return null
    // The message does not quote the values: they may hold secrets.
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
      refuse(names.webhook, 'it is not an http or https URL', 'https://siem.example.com/millrace')
    if (secret === undefined || !SECRET.test(secret))
      refuse(
        names.webhookSecret,
        `it is not whsec_ and at least 24 bytes in base64, and ${names.webhook} is set`,
        'whsec_$(openssl rand -base64 32)',
      )
    return { url, secret: secret! }
  }
}
