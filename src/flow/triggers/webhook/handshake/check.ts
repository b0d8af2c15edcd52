// Checks what the schema of a handshake cannot express.
import { CODE, type IssueCode } from '../../../../base/error-catalogue.ts'
import { isObject } from '../../../../base/is-object.ts'
import { hasTemplate } from '../../../check.ts'
import { pointer } from '../../../issue.ts'
import { checkReplyHeaders, isContentType, isMediaType } from '../../../reply-header.ts'
import { hasBareSecret } from './bare-secrets.ts'

type Report = (path: string, code: IssueCode, message: string) => void

const ONLY_HASHED =
  'Anyone who has the URL gets this reply: a secret may be in it only inside hmacSha256, hmacSha512 or sha256.'

const isSecret = (root: string): boolean => root === 'connections' || root === 'env'

export function checkHandshakes(handshakes: unknown, report: Report): void {
  if (!Array.isArray(handshakes)) return
  for (const [i, handshake] of handshakes.entries()) {
    if (!isObject(handshake)) continue
    const at = `/handshake/${i}`
    const { headers, body, contentType, method, signed } = handshake
    checkReplyHeaders(headers, `${at}/headers`, report)
    if (Array.isArray(headers))
      for (const [j, header] of headers.entries())
        if (isObject(header) && typeof header['name'] === 'string' && isContentType(header['name']))
          report(`${at}/headers/${j}/name`, CODE.invalid_header, 'Set contentType in place of this header.')
    if (typeof contentType === 'string' && contentType !== '' && !isMediaType(contentType))
      report(`${at}/contentType`, CODE.invalid_header, 'contentType is one media type, such as text/plain.')
    if (signed === true && (method === 'GET' || method === 'HEAD'))
      report(`${at}/signed`, 'unknown_value', `A ${method} request has no body that could be signed; remove it.`)
    secretsIn(headers, `${at}/headers`, report)
    secretsIn(body, `${at}/body`, report)
  }
}

function secretsIn(value: unknown, path: string, report: Report): void {
  if (typeof value === 'string') {
    if (hasTemplate(value) && hasBareSecret(value, isSecret)) report(path, 'secret_in_reply', ONLY_HASHED)
  } else if (Array.isArray(value)) for (const [i, item] of value.entries()) secretsIn(item, pointer(path, i), report)
  else if (isObject(value)) for (const [key, item] of Object.entries(value)) secretsIn(item, pointer(path, key), report)
}
