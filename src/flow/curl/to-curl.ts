// Writes the settings of an HTTP step as a curl command: templates stay as they are, and placeholders replace secrets. A
// draft may be incomplete, and have numbers instead of text.
import { SEALED_PREFIX } from '../../base/sealed-prefix.ts'
import { FormatError } from '../formats/format-error.ts'
import { writeXml } from '../formats/write-xml.ts'
import { hasPatterns } from './curl-url.ts'
import type { FormField, HttpAuth, HttpBody, HttpRequestSettings, NameValue } from './http-settings.ts'

/** Writes one option per line, for a POSIX shell. */
export function toCurl(settings: Partial<HttpRequestSettings>): string {
  const { method = 'GET', url = '', headers = [], query = [], body, auth, timeout, followRedirects, retry } = settings
  const queryKey =
    auth?.kind === 'apiKey' && auth.in === 'query' ? [{ name: auth.name, value: secret(auth.value, 'key') }] : []
  const parts = [
    `curl${methodPart(method || 'GET', body)}${hasPatterns(url) ? ' -g' : ''} ${word(withQuery(url, [...query, ...queryKey]))}`,
    ...headers.map((header) => `-H ${word(headerText(header))}`),
    ...authParts(auth),
    ...(settings.tls ? [`--cert ${word(`<certificate and key of ${written(settings.tls.connection)}>`)}`] : []),
    ...(settings.idempotencyKey ? [`-H ${word('Idempotency-Key: <id of the run and step>')}`] : []),
    ...bodyParts(body, headers),
    ...(timeout === undefined ? [] : [`--max-time ${word(String(timeout))}`]),
    followRedirects === false ? '--no-location' : '-L',
    // `-b` without a file keeps the cookies that redirects set, and no others.
    ...(settings.cookies ? [`-b ''`] : []),
    ...(retry ? retryParts(retry) : []),
  ]
  return parts.join(' \\\n  ')
}

function methodPart(method: string, body: HttpBody | undefined): string {
  if (method === 'HEAD') return ' -I'
  return method === (body ? 'POST' : 'GET') ? '' : ` -X ${method}`
}

const written = (value: string | undefined): string => String(value ?? '')

const headerText = ({ name, value }: NameValue): string =>
  written(value) === '' ? `${written(name)};` : `${written(name)}: ${value}`

function authParts(auth: HttpAuth | undefined): string[] {
  switch (auth?.kind) {
    case 'basic':
      return [`-u ${word(`${written(auth.username)}:${secret(auth.password, 'password')}`)}`]
    case 'bearer':
      return [`-H ${word(`Authorization: Bearer ${secret(auth.token, 'token').replace(/^\s*bearer\s+/i, '')}`)}`]
    case 'apiKey':
      return auth.in === 'query' ? [] : [`-H ${word(`${written(auth.name)}: ${secret(auth.value, 'key')}`)}`]
    case 'oauth2':
      return [`-H ${word(`Authorization: Bearer <access token of ${written(auth.connection)}>`)}`]
    case 'connection':
      // The document does not say of which kind it is.
      return [`-H ${word(`Authorization: <credentials of ${written(auth.connection)}>`)}`]
    default:
      return []
  }
}

/** Returns a template as it is, because it only names its secret, and a placeholder for any other value. */
function secret(value: string | undefined, what: string): string {
  const text = written(value)
  return text === '' || (text.includes('{{') && !text.startsWith(SEALED_PREFIX)) ? text : `<${what}>`
}

function bodyParts(body: HttpBody | undefined, headers: readonly NameValue[]): string[] {
  if (!body) return []
  const typed = headers.some(({ name }) => written(name).toLowerCase() === 'content-type')
  const contentType = (type: string): string[] => (typed ? [] : [`-H ${word(`Content-Type: ${type}`)}`])
  switch (body.kind) {
    case 'json':
      return [...contentType('application/json'), `--data-raw ${word(JSON.stringify(body.value ?? null))}`]
    case 'xml':
      return [...contentType(body.contentType ?? 'application/xml'), `--data-raw ${word(xmlText(body.value))}`]
    case 'text':
      return [...contentType(body.contentType ?? 'text/plain'), `--data-raw ${word(written(body.value))}`]
    case 'file':
      return [...contentType(body.contentType ?? 'application/octet-stream'), `--data-binary ${word('@<file>')}`]
    case 'form':
      return formParts(body.fields ?? [], body.multipart === true, contentType)
  }
}

/** A draft may have anything in place of its value. */
function xmlText(value: unknown): string {
  try {
    return `<?xml version="1.0" encoding="UTF-8"?>\n${writeXml(value)}`
  } catch (error) {
    if (error instanceof FormatError) return ''
    throw error
  }
}

/** Encodes the fields as the step does; curl encodes only what a template gives. */
function formParts(given: readonly FormField[], multipart: boolean, contentType: (type: string) => string[]): string[] {
  const fields = given.map(({ name, value }): [string, string] => [written(name), written(value)])
  if (multipart)
    return given.map(({ name, value, file, filename, contentType: type }) => {
      if (file === undefined) return `--form-string ${word(`${written(name)}=${written(value)}`)}`
      return `-F ${word(`${written(name)}=@<file>${type ? `;type=${type}` : ''}${filename ? `;filename=${filename}` : ''}`)}`
    })
  if (fields.length === 0) return [...contentType('application/x-www-form-urlencoded'), `--data-raw ''`]
  return fields.some((field) => field.join().includes('{{'))
    ? fields.map(([name, value]) => `--data-urlencode ${word(`${encoded(name)}=${value}`)}`)
    : [`--data-raw ${word(new URLSearchParams(fields).toString())}`]
}

function retryParts({ attempts = 3, delay }: NonNullable<HttpRequestSettings['retry']>): string[] {
  if (!(attempts > 1)) return []
  return [`--retry ${attempts - 1}`, ...(delay === undefined ? [] : [`--retry-delay ${word(String(delay))}`])]
}

/** Appends the pairs as the step does; a template stays as it is, and is filled in first. */
function withQuery(url: string, pairs: readonly NameValue[]): string {
  if (pairs.length === 0) return url
  const base = url.split('#', 1)[0]!
  const joint = !base.includes('?') ? '?' : /[?&]$/.test(base) ? '' : '&'
  return base + joint + pairs.map(({ name, value }) => `${encoded(written(name))}=${encoded(written(value))}`).join('&')
}

const encoded = (text: string): string => (text.includes('{{') ? text : encodeURIComponent(text.toWellFormed()))

/** Quotes the text only if a shell would read it differently. */
function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
