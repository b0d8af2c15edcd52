// Reads the settings of the proxy, and says which requests go through it.
import { isIP } from 'node:net'
import { specialRange, unwrapped } from '../address-ranges.ts'
import { allowsAddress, type EgressRules, parseEgressAllow, withoutFinalDot } from '../egress-rules.ts'

export interface ProxyServer {
  /** Whether the proxy itself is spoken to over TLS. */
  secure: boolean
  /** Without brackets. */
  host: string
  port: number
  /** The user and the password, as the header Proxy-Authorization has them; null: the proxy asks for none. A secret. */
  authorization: string | null
  /** The password alone, so that logs can mask it. */
  password: string | null
  /** The URL without user and password. */
  origin: string
  /** How messages call the proxy: by its address and the setting that names it. */
  label: string
}

export interface ProxySettings {
  /** The proxy of http:// and of https:// URLs; null: they go direct. */
  http: ProxyServer | null
  https: ProxyServer | null
  except: Exceptions
}

/** What MILLRACE_NO_PROXY names. */
interface Exceptions {
  everything: boolean
  /** Addresses, and names that stand for themselves and for all names below them. */
  rules: EgressRules
  /** Names that stand for the names below them only. */
  below: EgressRules['hosts']
}

/** What is wrong with a setting. The message never quotes the value: it may hold a password. */
export class ProxySettingFault extends Error {
  readonly setting: string
  readonly example: string
  constructor(setting: string, fault: string, example: string) {
    super(fault)
    this.setting = setting
    this.example = example
  }
}

const SERVER_EXAMPLE = 'http://user:password@proxy.example.com:3128'
const EXCEPT_EXAMPLE = 'intranet.example.com,.corp.example.com,10.0.0.0/8,api.example.com:8443'

/** Returns null if requests go direct. `get` returns undefined for an unset and for an empty variable. */
export function readProxySettings(get: (name: string) => string | undefined): ProxySettings | null {
  const own = get('MILLRACE_PROXY')
  if (own === undefined) return null
  const fromEnvironment = own.toLowerCase() === 'env'
  // Programs differ in which of the two spellings they read.
  const either = (name: string) => (get(name) === undefined ? name.toLowerCase() : name)
  const serverOf = (name: string) => {
    const setting = fromEnvironment ? either(name) : 'MILLRACE_PROXY'
    const text = get(setting)
    return text === undefined ? null : parseServer(text, setting)
  }
  const [http, https] = [serverOf('HTTP_PROXY'), serverOf('HTTPS_PROXY')]
  const setting = fromEnvironment && get('MILLRACE_NO_PROXY') === undefined ? either('NO_PROXY') : 'MILLRACE_NO_PROXY'
  const except = parseExceptions(get(setting) ?? '', setting)
  return http || https ? { http, https, except } : null
}

/** Returns the proxy for an origin; null: it is reached direct, as the own machine always is. */
export function proxyFor({ http, https, except }: ProxySettings, origin: string): ProxyServer | null {
  const { protocol, hostname, port: stated } = new URL(origin)
  const secure = protocol === 'https:'
  const proxy = secure ? https : http
  const host = withoutFinalDot(hostname.replace(/^\[|\]$/g, ''))
  const port = Number(stated) || (secure ? 443 : 80)
  return proxy === null || isOwnMachine(host) || isExcepted(except, host, port) ? null : proxy
}

export const serversOf = (settings: ProxySettings | null): ProxyServer[] =>
  [settings?.http, settings?.https].filter((server) => server != null)

/** To a proxy these would be its own machine. */
function isOwnMachine(host: string): boolean {
  if (!isIP(host)) return host === 'localhost' || host.endsWith('.localhost')
  const range = specialRange(unwrapped(host))
  return range === 'loopback' || range === 'unspecified'
}

function isExcepted({ everything, rules, below }: Exceptions, host: string, port: number): boolean {
  if (everything) return true
  if (isIP(host)) return allowsAddress(rules, unwrapped(host), port)
  const names = (entries: EgressRules['hosts']) => entries.filter((entry) => entry.port === null || entry.port === port)
  return (
    names(rules.hosts).some(({ what }) => host === what || host.endsWith(`.${what}`)) ||
    names(below).some(({ what }) => host.endsWith(`.${what}`))
  )
}

function parseServer(text: string, setting: string): ProxyServer {
  const refuse = (fault: string): never => {
    throw new ProxySettingFault(setting, fault, SERVER_EXAMPLE)
  }
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  if (!url?.hostname) return refuse('it is not the URL of a proxy')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refuse(`proxies of the kind ${url.protocol.slice(0, -1)} are not supported, only http and https`)
  if (url.pathname !== '/' || url.search || url.hash) return refuse('it is more than scheme, user, host and port')
  if (url.port === '0') return refuse('its port is 0')
  const secure = url.protocol === 'https:'
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === null || password === null) return refuse('a % in the user or password begins no escape (write %25)')
  // RFC 7617 §2: the first colon ends the user.
  if (user.includes(':')) return refuse('the user contains a colon')
  if (/[^\x20-\x7e\x80-\u{10ffff}]/u.test(user + password))
    return refuse('the user or password contains a control character')
  if (password && !user) return refuse('it has a password and no user')
  const host = withoutFinalDot(url.hostname.replace(/^\[|\]$/g, ''))
  const port = Number(url.port) || (secure ? 443 : 80)
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return {
    secure,
    host,
    port,
    authorization: user ? `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` : null,
    password: password || null,
    origin: `${url.protocol}//${address}`,
    label: `the proxy ${address} (${setting})`,
  }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

function parseExceptions(text: string, setting: string): Exceptions {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
  const plain = entries.filter((entry) => entry !== '*' && !/^\*?\./.test(entry))
  const dotted = entries.filter((entry) => /^\*?\./.test(entry)).map((entry) => entry.replace(/^\*?\./, ''))
  try {
    const below = parseEgressAllow(dotted)
    if (below.ranges.length > 0) throw new Error('a dot before an address means nothing')
    return { everything: entries.includes('*'), rules: parseEgressAllow(plain), below: below.hosts }
  } catch (error) {
    throw new ProxySettingFault(setting, (error as Error).message.replace(/; write for example.*$/, ''), EXCEPT_EXAMPLE)
  }
}
