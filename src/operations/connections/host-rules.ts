// Which hosts a connection's secret may be sent to: `api.example.com`, `*.example.com`, `host:port`.

export interface HostRule {
  /** In the form in which URLs have it; with a dot before it for all hosts below it. */
  host: string
  below: boolean
  /** null: any. */
  port: string | null
}

const RULE = /^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:/?#@[\]*\\]+)(?::(\d{1,5}))?$/i

const ADDRESS = /^\[|^\d+\.\d+\.\d+\.\d+$/

/** `example.com.` names the same host as `example.com`. */
const withoutRootDot = (host: string): string => host.replace(/\.$/, '')

/** null where it is no host. */
export function parseHostRule(text: string): HostRule | null {
  const [, wildcard, host, port = null] = RULE.exec(text.trim()) ?? []
  // The URL parser writes hosts in the one way in which they are compared: lower case, punycode, addresses in full.
  const url = host === undefined ? null : URL.parse(`http://${host}`)
  if (!url || url.hostname === '' || (port !== null && (Number(port) < 1 || Number(port) > 65_535))) return null
  const name = withoutRootDot(url.hostname)
  if (wildcard && ADDRESS.test(name)) return null
  return { host: wildcard ? `.${name}` : name, below: wildcard !== undefined, port }
}

export function allows(rules: readonly HostRule[], url: URL): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const host = withoutRootDot(url.hostname)
  return rules.some(
    (rule) =>
      (rule.port === null || rule.port === port) && (rule.below ? host.endsWith(rule.host) : host === rule.host),
  )
}

/** Whether these rules allow a place that those before them did not. No rules allow every place. */
export function allowsMore(rules: readonly HostRule[], before: readonly HostRule[]): boolean {
  if (before.length === 0) return false
  return rules.length === 0 || rules.some((rule) => !before.some((wider) => covers(wider, rule)))
}

const covers = (wider: HostRule, { host, below, port }: HostRule): boolean =>
  (wider.port === null || wider.port === port) &&
  (wider.below ? host.endsWith(wider.host) : !below && host === wider.host)
