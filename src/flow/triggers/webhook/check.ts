// Checks what the trigger's schema cannot express: content types, CIDRs and header names.

import { isAddressRange } from '../../../base/address-range.ts'
import { CODE, type IssueCode } from '../../../base/error-catalogue.ts'
import { isObject } from '../../../base/is-object.ts'
import { KEY_PAIR_ALGORITHMS } from '../../../base/signing/algorithm-names.ts'
import { hasTemplate } from '../../check.ts'
import { ACCEPTABLE_FILE } from '../../formats/file-types.ts'
import { quoted } from '../../issue.ts'
import { checkReplyHeaders, isHeaderName } from '../../reply-header.ts'
import { checkSender } from '../../senders/check-sender.ts'
import type { Senders } from '../../senders/schema.ts'
import type { ReportTrigger } from '../trigger-kind.ts'
import { checkHandshakes } from './handshake/check.ts'
import { MOST_ACCEPTED, MOST_RANGES } from './schema.ts'

const ACCEPTABLE =
  /^(application\/(json|xml|\*\+(json|xml)|x-www-form-urlencoded|[\w.-]+\+(json|xml))|text\/(\*|[\w.+-]+))$/i

export function checkWebhook(
  trigger: Record<string, unknown>,
  report: ReportTrigger,
  _now: number | undefined,
  senders: Senders | null,
): void {
  const { accept, ips, auth, response, sender, handshake } = trigger as {
    sender?: unknown
    handshake?: unknown
    accept?: unknown
    ips?: unknown
    auth?: unknown
    response?: { headers?: unknown; error?: { headers?: unknown } }
  }
  checkAccepted(accept, report, true)
  checkParsing(trigger, report)
  if (Array.isArray(ips) && ips.length <= MOST_RANGES)
    for (const [i, range] of ips.entries())
      if (typeof range === 'string' && !isAddressRange(range))
        report(
          `/ips/${i}`,
          'invalid_format',
          `${quoted(range)} is not an address or CIDR range, such as 203.0.113.0/24 or 2001:db8::/32.`,
        )
  checkAuth(auth, report)
  if (senders) checkSender(sender, senders, auth !== undefined, report)
  checkHandshakes(handshake, report)
  for (const [headers, at] of [
    [response?.headers, '/response/headers'],
    [response?.error?.headers, '/response/error/headers'],
  ] as const)
    checkReplyHeaders(headers, at, report)
}

type Report = (path: string, code: IssueCode, message: string) => void

/** `files`: whether files can come in. */
export function checkAccepted(accept: unknown, report: Report, files = false): void {
  if (!Array.isArray(accept) || accept.length > MOST_ACCEPTED) return
  for (const [i, type] of accept.entries())
    if (typeof type === 'string' && !ACCEPTABLE.test(type) && !(files && ACCEPTABLE_FILE.test(type)))
      report(
        `/accept/${i}`,
        'invalid_format',
        `${quoted(type)} cannot be accepted; use application/json, application/*+json, application/x-www-form-urlencoded, text/*, application/xml or application/*+xml${files ? ', or for files multipart/form-data, image/* or a type such as application/pdf' : ''}.`,
      )
}

/** Reports what would parse nothing, since no such body is let in. */
function checkParsing({ parse, lists, accept }: Record<string, unknown>, report: Report): void {
  if (parse === undefined && lists !== undefined)
    report('/lists', 'conflicting', 'lists belongs to parse: xml. Add that, or remove lists.')
  if (parse !== 'xml') return
  const accepted = Array.isArray(accept) ? accept.filter((type) => typeof type === 'string') : []
  if (!accepted.some((type) => /xml$|^text\/\*$/i.test(type)))
    report('/parse', 'conflicting', 'No XML is accepted. Add application/xml or text/xml to accept, or remove parse.')
}

export function checkAuth(auth: unknown, report: Report): void {
  if (!isObject(auth)) return
  const key = auth['kind'] === 'signature' ? 'header' : 'name'
  const name = auth['kind'] === 'header' || auth['kind'] === 'signature' ? auth[key] : undefined
  if (typeof name === 'string' && name && !hasTemplate(name) && !isHeaderName(name))
    report(`/auth/${key}`, CODE.invalid_header, `${quoted(name)} is not a header name.`)
  if (auth['kind'] === 'signature' && auth['scheme'] !== undefined) checkSignature(auth, report)
}

const OF_CUSTOM = ['algorithm', 'encoding', 'prefix', 'publicKey', 'signed', 'timestamp']

/** Reports what is missing for the scheme, and what is there for nothing. */
function checkSignature(auth: Record<string, unknown>, report: Report): void {
  const isCustom = auth['scheme'] === 'custom'
  const isKeyPair = KEY_PAIR_ALGORITHMS.some((name) => name === auth['algorithm'])
  const key = isCustom && isKeyPair ? 'publicKey' : 'secret'
  for (const needed of isCustom ? ['algorithm', 'encoding', 'header', 'signed', key] : [key])
    if (!Object.hasOwn(auth, needed)) report(`/auth/${needed}`, 'missing', `${needed} is missing.`)
  const idle = isCustom ? [isKeyPair ? 'secret' : 'publicKey'] : OF_CUSTOM
  for (const name of idle)
    if (Object.hasOwn(auth, name))
      report(
        `/auth/${name}`,
        'unknown_key',
        isCustom
          ? `The algorithm ${String(auth['algorithm'])} is verified with ${key}, not with ${name}; remove it.`
          : `${name} belongs to the scheme custom; remove it.`,
      )
  if (isCustom && auth['timestamp'] === undefined && auth['tolerance'] !== undefined)
    report('/auth/tolerance', 'missing', 'tolerance needs timestamp: the signed time that it is about.')
}
