// Checks what the schema of an HTTP step cannot express; templates are checked when the step runs.
import { CODE, type IssueCode, STEP_ERRORS } from '../../base/error-catalogue.ts'
import { checkHeaderName, checkHeaderValue, parseOutboundUrl } from '../../engine/outbound-rules.ts'
import { OutboundError } from '../../engine/ports/http-client.ts'
import type { StepIssue } from '../../engine/step-kind.ts'
import { charsetOf, isWritable } from '../../flow/formats/charsets.ts'
import { quoted } from '../../flow/issue.ts'
import { hasBreak } from '../../flow/outbound-parts.ts'

const BODY_METHODS = ['POST', 'PUT', 'PATCH']

export function checkHttp(settings: Record<string, unknown>): StepIssue[] {
  const { method, url, headers, query, body, auth, tls, compress, response } = settings
  const issues: StepIssue[] = []
  const attempt = (path: string, value: unknown, test: (literal: string) => void): void => {
    if (!isLiteral(value)) return
    try {
      test(String(value))
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      // The checks throw only invalid_url and invalid_header, which are codes of issues too.
      issues.push({ path, code: error.code as IssueCode, message: `${error.message}. ${error.hint}` })
    }
  }

  if (url !== '') attempt('/url', url, parseOutboundUrl)
  for (const [i, header] of pairs(headers).entries()) {
    if (header['name'] !== '') attempt(`/headers/${i}/name`, header['name'], checkHeaderName)
    attempt(`/headers/${i}/value`, header['value'], (value) => checkHeaderValue(String(header['name']), value))
  }
  for (const [i, pair] of pairs(query).entries())
    for (const key of ['name', 'value']) attempt(`/query/${i}/${key}`, pair[key], checkLine)
  if (isObject(auth) && auth['kind'] === 'apiKey' && auth['in'] !== 'query' && auth['name'] !== '')
    attempt('/auth/name', auth['name'], checkHeaderName)

  if (tls !== undefined && typeof url === 'string' && isPlain(url))
    issues.push({ path: '/tls', code: 'conflicting', message: `${PLAIN_URL.message}. ${PLAIN_URL.hint}` })
  if (body !== undefined)
    issues.push(
      ...bodyIssues(method),
      ...charsetIssues(headers, body),
      ...fieldIssues(body),
      ...fileIssues(body, compress),
    )
  if (body === undefined && compress !== undefined)
    issues.push({
      path: '/compress',
      code: 'conflicting',
      message: 'There is no body to compress. Add one, or remove compress.',
    })
  if (isObject(response) && response['as'] === 'file' && response['lists'] !== undefined)
    issues.push({ path: '/response/lists', code: 'conflicting', message: 'lists belongs to as: xml; remove it.' })
  const encoded = compress === undefined ? -1 : pairs(headers).findIndex(({ name }) => nameIs(name, 'content-encoding'))
  if (encoded !== -1) issues.push(writtenTwice(encoded, 'The setting compress'))
  const twice = pairs(headers).findIndex(({ name }) => String(name).toLowerCase() === authHeaderName(auth))
  if (twice !== -1) issues.push(writtenTwice(twice, 'The authentication setting'))
  return issues
}

const PLAIN_URL = {
  message: 'A URL that begins with http:// is called without TLS, so the setting tls has no effect',
  hint: 'Write https://, or remove tls.',
}

const isPlain = (url: string): boolean => /^http:/i.test(url)

/** Throws OutboundError if a request that was to be protected would go out in the open. */
export function checkTlsUrl(url: string): void {
  if (isPlain(url)) throw new OutboundError(CODE.invalid_url, PLAIN_URL.message, PLAIN_URL.hint)
}

const writtenTwice = (at: number, who: string): StepIssue => ({
  path: `/headers/${at}/name`,
  code: 'duplicate_header',
  message: `${who} writes this header too, and its value is the one sent. Remove one of the two.`,
  warning: true,
})

const nameIs = (name: unknown, wanted: string): boolean => String(name).toLowerCase() === wanted

/** A charset that texts cannot be written in would fail each request. */
function charsetIssues(headers: unknown, body: unknown): StepIssue[] {
  if (!isObject(body) || (body['kind'] !== 'text' && body['kind'] !== 'xml')) return []
  const at = pairs(headers).findIndex(({ name }) => nameIs(name, 'content-type'))
  const type = at === -1 ? body['contentType'] : pairs(headers)[at]!['value']
  const charset = typeof type === 'string' && isLiteral(type) ? charsetOf(type) : null
  if (charset === null || isWritable(charset)) return []
  return [
    {
      path: at === -1 ? '/body/contentType' : `/headers/${at}/value`,
      code: 'invalid_format',
      message: `Texts cannot be written in the charset ${quoted(charset)}. Use utf-8, utf-16, iso-8859-1 or another one with a byte per character.`,
    },
  ]
}

function bodyIssues(method: unknown): StepIssue[] {
  if (method === 'HEAD')
    return [{ path: '/body', code: CODE.body_not_allowed, message: STEP_ERRORS.body_not_allowed.message }]
  if (typeof method !== 'string' || method === '' || BODY_METHODS.includes(method)) return []
  const message = `A body is meant for POST, PUT and PATCH; servers may ignore or refuse it with ${method}.`
  return [{ path: '/body', code: 'unusual_body', message, warning: true }]
}

/** A file is sent as it is read, and most files are compressed already. */
function fileIssues(body: unknown, compress: unknown): StepIssue[] {
  if (compress === undefined || !isObject(body)) return []
  const sendsFile = body['kind'] === 'file' || pairs(body['fields']).some((field) => Object.hasOwn(field, 'file'))
  return sendsFile
    ? [{ path: '/compress', code: 'conflicting', message: 'Files are sent as they are. Remove compress.' }]
    : []
}

/** A field has a value or a file, and a file only in a multipart form. */
function fieldIssues(body: unknown): StepIssue[] {
  if (!isObject(body) || body['kind'] !== 'form') return []
  return pairs(body['fields']).flatMap((field, i): StepIssue[] => {
    const path = `/body/fields/${i}`
    const hasFile = Object.hasOwn(field, 'file')
    if (!hasFile && !Object.hasOwn(field, 'value'))
      return [{ path: `${path}/value`, code: 'missing', message: 'value is missing.' }]
    if (hasFile && Object.hasOwn(field, 'value'))
      return [{ path: `${path}/value`, code: 'conflicting', message: 'A field has a value or a file; remove one.' }]
    if (hasFile && body['multipart'] !== true)
      return [{ path: `${path}/file`, code: 'conflicting', message: 'A form with a file needs multipart: true.' }]
    return ['filename', 'contentType']
      .filter((key) => !hasFile && Object.hasOwn(field, key))
      .map((key) => ({ path: `${path}/${key}`, code: 'unknown_key', message: `${key} belongs to a file; remove it.` }))
  })
}

function authHeaderName(auth: unknown): string | null {
  if (!isObject(auth)) return null
  if (['basic', 'bearer', 'oauth2'].includes(String(auth['kind']))) return 'authorization'
  return auth['kind'] === 'apiKey' && auth['in'] !== 'query' ? String(auth['name']).toLowerCase() : null
}

function checkLine(text: string): void {
  if (hasBreak(text))
    throw new OutboundError(CODE.invalid_url, 'A query parameter contains a line break or NUL character', 'Remove it.')
}

function isLiteral(value: unknown): value is string | number | boolean {
  return typeof value === 'string' ? !value.includes('{{') : typeof value === 'number' || typeof value === 'boolean'
}

function pairs(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.map((item: unknown) => (isObject(item) ? item : {})) : []
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
