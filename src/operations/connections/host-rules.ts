// Limits the hosts that a connection's secret may be sent to: `api.example.com`, `*.example.com`, `host:port`.

export interface HostRule {
  /** The host as URLs write it, with a leading dot if the rule covers all hosts below it. */
  host: string
  below: boolean
  /** null for any port. */
  port: string | null
}

const RULE = /^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:/?#@[\]*\\]+)(?::(\d{1,5}))?$/i

const ADDRESS = /^\[|^\d+\.\d+\.\d+\.\d+$/

/** Returns the host without the root dot: `example.com.` is the same host as `example.com`. */
const withoutRootDot = (host: string): string => host.replace(/\.$/, '')

/** Returns null if the text names no host. */
export function parseHostRule(text: string): HostRule | null {
  const [, wildcard, host, port = null] = RULE.exec(text.trim()) ?? []
  // The URL parser normalises hosts for comparison: lower case, punycode, addresses in full.
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

/** Returns whether `rules` allow a host that `before` did not. An empty list allows every host. */
export function allowsMore(rules: readonly HostRule[], before: readonly HostRule[]): boolean {
  if (before.length === 0) return false
  return rules.length === 0 || rules.some((rule) => !before.some((wider) => covers(wider, rule)))
}

const covers = (wider: HostRule, { host, below, port }: HostRule): boolean =>
  (wider.port === null || wider.port === port) &&
  (wider.below ? host.endsWith(wider.host) : !below && host === wider.host)
