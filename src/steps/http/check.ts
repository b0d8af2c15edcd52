// Checks what the schema of an HTTP step cannot express; templates are checked when the step runs.
import { CODE, type IssueCode, STEP_ERRORS } from '../../base/error-catalogue.ts'
import { checkHeaderName, checkHeaderValue, parseOutboundUrl } from '../../engine/outbound-rules.ts'
import { OutboundError } from '../../engine/ports/http-client.ts'
import type { StepIssue } from '../../engine/step-kind.ts'
import { hasBreak } from '../../flow/outbound-parts.ts'

const BODY_METHODS = ['POST', 'PUT', 'PATCH']

export function checkHttp(settings: Record<string, unknown>): StepIssue[] {
  const { method, url, headers, query, body, auth } = settings
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

  if (body !== undefined) issues.push(...bodyIssues(method))
  const twice = pairs(headers).findIndex(({ name }) => String(name).toLowerCase() === authHeaderName(auth))
  if (twice !== -1)
    issues.push({
      path: `/headers/${twice}/name`,
      code: 'duplicate_header',
      message:
        'The authentication setting writes this header too, and its value is the one sent. Remove one of the two.',
      warning: true,
    })
  return issues
}

function bodyIssues(method: unknown): StepIssue[] {
  if (method === 'HEAD')
    return [{ path: '/body', code: CODE.body_not_allowed, message: STEP_ERRORS.body_not_allowed.message }]
  if (typeof method !== 'string' || method === '' || BODY_METHODS.includes(method)) return []
  const message = `A body is meant for POST, PUT and PATCH; servers may ignore or refuse it with ${method}.`
  return [{ path: '/body', code: 'unusual_body', message, warning: true }]
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
