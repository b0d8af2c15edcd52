// Writes the settings of an HTTP step as a curl command: templates stand as they are, secrets as names of what belongs there.
import { SEALED_PREFIX } from '../secret-literals.ts'
import type { HttpAuth, HttpBody, HttpRequestSettings, NameValue } from './http-settings.ts'

/** One option per line, for a POSIX shell. */
export function toCurl(settings: HttpRequestSettings): string {
  const { method, url, headers = [], query = [], body, auth, timeout, followRedirects, retry } = settings
  const queryKey =
    auth?.kind === 'apiKey' && auth.in === 'query' ? [{ name: auth.name, value: secret(auth.value, 'key') }] : []
  const parts = [
    `curl${methodPart(method, body)} ${word(withQuery(url, [...query, ...queryKey]))}`,
    ...headers.map((header) => `-H ${word(headerText(header))}`),
    ...authParts(auth),
    ...bodyParts(body, headers),
    ...(timeout === undefined ? [] : [`--max-time ${timeout}`]),
    followRedirects === false ? '--no-location' : '-L',
    ...(retry ? retryParts(retry) : []),
  ]
  return parts.join(' \\\n  ')
}

function methodPart(method: string, body: HttpBody | undefined): string {
  if (method === 'HEAD') return ' -I'
  return method === (body ? 'POST' : 'GET') ? '' : ` -X ${method}`
}

const headerText = ({ name, value }: NameValue): string => (value === '' ? `${name};` : `${name}: ${value}`)

function authParts(auth: HttpAuth | undefined): string[] {
  switch (auth?.kind) {
    case 'basic':
      return [`-u ${word(`${auth.username}:${secret(auth.password, 'password')}`)}`]
    case 'bearer':
      return [`-H ${word(`Authorization: Bearer ${secret(auth.token, 'token').replace(/^\s*bearer\s+/i, '')}`)}`]
    case 'apiKey':
      return auth.in === 'query' ? [] : [`-H ${word(`${auth.name}: ${secret(auth.value, 'key')}`)}`]
    case 'oauth2':
      return [`-H ${word(`Authorization: Bearer <access token of ${auth.connection}>`)}`]
    default:
      return []
  }
}

/** A template names its secret; anything else in such a place is one. */
const secret = (value: string, what: string): string =>
  value === '' || (value.includes('{{') && !value.startsWith(SEALED_PREFIX)) ? value : `<${what}>`

function bodyParts(body: HttpBody | undefined, headers: readonly NameValue[]): string[] {
  if (!body) return []
  const typed = headers.some(({ name }) => name.toLowerCase() === 'content-type')
  const contentType = (type: string): string[] => (typed ? [] : [`-H ${word(`Content-Type: ${type}`)}`])
  switch (body.kind) {
    case 'json':
      return [...contentType('application/json'), `--data-raw ${word(JSON.stringify(body.value))}`]
    case 'text':
      return [...contentType(body.contentType ?? 'text/plain'), `--data-raw ${word(body.value)}`]
    case 'form':
      if (body.multipart) return body.fields.map(({ name, value }) => `--form-string ${word(`${name}=${value}`)}`)
      if (body.fields.length === 0) return [...contentType(FORM), `--data-raw ''`]
      return body.fields.map(({ name, value }) => `--data-urlencode ${word(`${encoded(name)}=${value}`)}`)
  }
}

const FORM = 'application/x-www-form-urlencoded'

function retryParts({ attempts, delay }: NonNullable<HttpRequestSettings['retry']>): string[] {
  if (!(attempts > 1)) return []
  return [`--retry ${attempts - 1}`, ...(delay === undefined ? [] : [`--retry-delay ${delay}`])]
}

/** Appended as the step does it; a template is filled in first, and stands here as it is. */
function withQuery(url: string, pairs: readonly NameValue[]): string {
  if (pairs.length === 0) return url
  const base = url.split('#', 1)[0]!
  const joint = !base.includes('?') ? '?' : /[?&]$/.test(base) ? '' : '&'
  return base + joint + pairs.map(({ name, value }) => `${encoded(name)}=${encoded(value)}`).join('&')
}

const encoded = (text: string): string => (text.includes('{{') ? text : encodeURIComponent(text.toWellFormed()))

/** Quoted only where a shell would read it otherwise. */
function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
