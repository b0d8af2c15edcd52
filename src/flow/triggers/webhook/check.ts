// Checks what the trigger's schema cannot express: content types, CIDRs and header names.

import { isAddressRange } from '../../../base/address-range.ts'
import { CODE, type IssueCode } from '../../../base/error-catalogue.ts'
import { isObject } from '../../../base/is-object.ts'
import { hasTemplate } from '../../check.ts'
import { quoted } from '../../issue.ts'
import { checkReplyHeaders, isHeaderName } from '../../reply-header.ts'
import type { ReportTrigger } from '../trigger-kind.ts'
import { MOST_ACCEPTED, MOST_RANGES } from './schema.ts'

const ACCEPTABLE = /^(application\/(json|xml|\*\+json|x-www-form-urlencoded|[\w.-]+\+(json|xml))|text\/(\*|[\w.+-]+))$/i

export function checkWebhook(trigger: Record<string, unknown>, report: ReportTrigger): void {
  const { accept, ips, auth, response } = trigger as {
    accept?: unknown
    ips?: unknown
    auth?: unknown
    response?: { headers?: unknown; error?: { headers?: unknown } }
  }
  checkAccepted(accept, report)
  if (Array.isArray(ips) && ips.length <= MOST_RANGES)
    for (const [i, range] of ips.entries())
      if (typeof range === 'string' && !isAddressRange(range))
        report(
          `/ips/${i}`,
          'invalid_format',
          `${quoted(range)} is not an address or CIDR range, such as 203.0.113.0/24 or 2001:db8::/32.`,
        )
  checkAuth(auth, report)
  for (const [headers, at] of [
    [response?.headers, '/response/headers'],
    [response?.error?.headers, '/response/error/headers'],
  ] as const)
    checkReplyHeaders(headers, at, report)
}

type Report = (path: string, code: IssueCode, message: string) => void

export function checkAccepted(accept: unknown, report: Report): void {
  if (!Array.isArray(accept) || accept.length > MOST_ACCEPTED) return
  for (const [i, type] of accept.entries())
    if (typeof type === 'string' && !ACCEPTABLE.test(type))
      report(
        `/accept/${i}`,
        'invalid_format',
        `${quoted(type)} cannot be accepted; use application/json, application/*+json, application/x-www-form-urlencoded, text/* or application/xml.`,
      )
}

export function checkAuth(auth: unknown, report: Report): void {
  if (!isObject(auth)) return
  const key = auth['kind'] === 'signature' ? 'header' : 'name'
  const name = auth['kind'] === 'header' || auth['kind'] === 'signature' ? auth[key] : undefined
  if (typeof name === 'string' && name && !hasTemplate(name) && !isHeaderName(name))
    report(`/auth/${key}`, CODE.invalid_header, `${quoted(name)} is not a header name.`)
}
