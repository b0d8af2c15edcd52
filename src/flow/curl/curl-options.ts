// The options of curl: which take a value, and how the import treats them.

/** Maps short options to their long names. */
export const SHORT: Readonly<Record<string, string>> = {
  '#': 'progress-bar',
  '0': 'http1.0',
  '1': 'tlsv1',
  '4': 'ipv4',
  '6': 'ipv6',
  a: 'append',
  A: 'user-agent',
  b: 'cookie',
  c: 'cookie-jar',
  C: 'continue-at',
  d: 'data',
  D: 'dump-header',
  e: 'referer',
  E: 'cert',
  f: 'fail',
  F: 'form',
  g: 'globoff',
  G: 'get',
  H: 'header',
  i: 'include',
  I: 'head',
  j: 'junk-session-cookies',
  J: 'remote-header-name',
  k: 'insecure',
  K: 'config',
  L: 'location',
  m: 'max-time',
  n: 'netrc',
  N: 'no-buffer',
  o: 'output',
  O: 'remote-name',
  q: 'disable',
  r: 'range',
  s: 'silent',
  S: 'show-error',
  T: 'upload-file',
  u: 'user',
  U: 'proxy-user',
  v: 'verbose',
  w: 'write-out',
  x: 'proxy',
  X: 'request',
  y: 'speed-time',
  Y: 'speed-limit',
  z: 'time-cond',
  Z: 'parallel',
}

/** Long options that a value follows. */
export const WITH_VALUE: ReadonlySet<string> = new Set(
  `abstract-unix-socket aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to continue-at cookie
  cookie-jar create-file-mode data data-ascii data-binary data-raw data-urlencode dns-servers doh-url dump-header engine
  etag-compare etag-save expect100-timeout form form-string header interface json keepalive-time key key-type krb limit-rate
  local-port max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output output-dir pass pinnedpubkey proto
  proto-default proto-redir proxy proxy-header proxy-pass proxy-user range rate referer request request-target resolve retry
  retry-delay retry-max-time service-name socks4 socks4a socks5 socks5-hostname speed-limit speed-time stderr time-cond
  tls-max tls13-ciphers tlsuser tlspassword trace trace-ascii unix-socket upload-file url url-query user user-agent
  write-out`.split(/\s+/),
)

/** Options that change what curl prints or how, not the request. */
export const WITHOUT_EFFECT: ReadonlySet<string> = new Set(
  `append compressed disable fail fail-early fail-with-body http1.1 include ipv4 ipv6 no-buffer no-keepalive
  no-progress-meter path-as-is progress-bar show-error silent styled-output tr-encoding verbose write-out stderr
  junk-session-cookies trace trace-ascii trace-time trace-ids`.split(/\s+/),
)

const TLS =
  'Certificates are always verified. A client certificate, a CA or a version goes into a connection, which the step names as tls.'
const PROXY = 'The operator sets the proxy, for all requests (MILLRACE_PROXY).'
const NETWORK = 'The server decides how it connects.'
const KEPT = 'The reply is kept as the result of the step.'
const FILE = 'Files of your machine cannot be read by a flow.'
const COOKIES = 'Cookies are not kept between requests; read steps.<id>.cookies and send a Cookie header.'
const AUTH = 'This way of authenticating is not supported.'
const VERSION = 'Requests are sent with HTTP/1.1.'

/** Authentication in which curl does not send the credentials themselves, or only if the server asks for it. */
export const OTHER_AUTH: ReadonlySet<string> = new Set('digest ntlm ntlm-wb negotiate anyauth aws-sigv4 krb'.split(' '))

/** Options whose values may be secrets, so messages do not repeat them. */
export const SECRET_VALUE: ReadonlySet<string> = new Set('proxy-user pass tlspassword cert proxy-pass'.split(' '))

/** Says why the import leaves an option out. */
export const REASONS: Readonly<Record<string, string>> = {
  ...group(
    [
      'insecure',
      'cacert',
      'capath',
      'cert',
      'cert-type',
      'key',
      'key-type',
      'pass',
      'pinnedpubkey',
      'ciphers',
      'tlsv1',
      'tlsv1.2',
      'tlsv1.3',
      'tls-max',
      'tls13-ciphers',
      'ssl',
      'ssl-reqd',
    ],
    TLS,
  ),
  ...group(
    [
      'proxy',
      'proxy-user',
      'proxy-header',
      'noproxy',
      'socks4',
      'socks4a',
      'socks5',
      'socks5-hostname',
      'proxy-insecure',
      'proxytunnel',
    ],
    PROXY,
  ),
  ...group(
    [
      'resolve',
      'connect-to',
      'interface',
      'local-port',
      'unix-socket',
      'abstract-unix-socket',
      'dns-servers',
      'doh-url',
      'keepalive-time',
      'tcp-nodelay',
      'haproxy-protocol',
    ],
    NETWORK,
  ),
  ...group(
    [
      'output',
      'output-dir',
      'remote-name',
      'remote-name-all',
      'remote-header-name',
      'dump-header',
      'create-dirs',
      'etag-save',
    ],
    KEPT,
  ),
  ...group(['config', 'netrc', 'netrc-file', 'netrc-optional', 'etag-compare'], FILE),
  ...group(['cookie-jar'], COOKIES),
  ...group([...OTHER_AUTH, 'tlsuser', 'tlspassword', 'proxy-digest', 'delegation'], AUTH),
  ...group(['http0.9', 'http1.0', 'http2', 'http2-prior-knowledge', 'http3', 'http3-only'], VERSION),
  'connect-timeout': 'One timeout covers the whole request: set timeout.',
  'max-redirs': 'At most 10 redirects are followed.',
  'max-filesize': 'A reply may be at most 10 MiB.',
  'retry-max-time': 'Retries are limited by their number.',
  'retry-all-errors': 'Set under retry which failures are retried.',
  'retry-connrefused': 'A retry also covers connection_refused.',
  'request-target': 'The request always uses the path of the URL.',
  next: 'The import takes only the first request.',
  parallel: 'The import takes only the first request.',
  range: 'Add a Range header.',
  'continue-at': 'Add a Range header.',
  'time-cond': 'Add an If-Modified-Since header.',
}

function group(options: string[], reason: string): Record<string, string> {
  return Object.fromEntries(options.map((option) => [option, reason]))
}
