// Turns the security of an operation into settings that send credentials of connections, which the user has to create.
import type { HttpAuth, NameValue } from '../curl/http-settings.ts'
import type { NotTaken } from '../curl/parse-curl.ts'
import { hasBreak, unfitForHeader } from '../outbound-parts.ts'
import { follow, isNode, listAt, type Node, own, textAt } from './document.ts'
import { literal } from './literal.ts'
import { faultOfHeaderName } from './sendable.ts'

export interface Security {
  auth?: HttpAuth
  headers: NameValue[]
}

interface Way {
  /** The kind of connection. */
  kind: string
  auth?: HttpAuth
  header?: NameValue
}

export function readSecurity(document: Node, operation: unknown, notTaken: NotTaken[]): Security {
  const schemes = own(own(document, 'components'), 'securitySchemes')
  const asked = own(operation, 'security') === undefined ? document : operation
  const alternatives = listAt(asked, 'security').filter(isNode)
  // An empty alternative means that credentials are optional.
  const needed = alternatives.map(Object.keys).filter((names) => names.length)
  const readable = needed.map((names) =>
    names.map((name) => wayOf(connectionOf(name), follow(document, own(schemes, name)))),
  )
  const chosen = readable.find((ways) => ways.every((way) => way !== null)) ?? readable[0]
  const security: Security = { headers: [] }
  for (const [i, way] of (chosen ?? []).entries()) {
    const name = needed[readable.indexOf(chosen!)]![i]!
    if (way === null) notTaken.push({ what: name, reason: 'This way of authenticating is not supported.' })
    else if (way.auth && security.auth)
      notTaken.push({ what: name, reason: 'A request has one authentication: add it as a header.' })
    else {
      if (way.auth) security.auth = way.auth
      if (way.header) security.headers.push(way.header)
      notTaken.push({
        what: name,
        reason: `Its credentials: create the connection "${connectionOf(name)}" of the kind ${way.kind}, or choose another.`,
      })
    }
  }
  return security
}

/** Returns a name that a template can contain. */
export const connectionOf = (scheme: string): string =>
  scheme
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[^a-z]+|_+$/g, '')
    .slice(0, 60) || 'api'

function wayOf(name: string, described: unknown): Way | null {
  const secret = (field: string) => `{{ connections.${name}.${field} }}`
  switch (textAt(described, 'type')) {
    case 'http':
      switch (textAt(described, 'scheme')?.toLowerCase()) {
        case 'basic':
          return {
            kind: 'basic',
            auth: { kind: 'basic', username: secret('username'), password: secret('password') },
          }
        case 'bearer':
          return { kind: 'bearer', auth: { kind: 'bearer', token: secret('token') } }
        case 'digest':
          return { kind: 'digest', auth: { kind: 'connection', connection: name } }
        default:
          return null
      }
    case 'apiKey': {
      const given = textAt(described, 'name') ?? ''
      const place = textAt(described, 'in')
      if (!isSendable(given, place)) return null
      const key = literal(given)
      if (place === 'cookie') return { kind: 'apiKey', header: { name: 'Cookie', value: `${key}=${secret('value')}` } }
      return place === 'header' || place === 'query'
        ? { kind: 'apiKey', auth: { kind: 'apiKey', name: key, value: secret('value'), in: place } }
        : null
    }
    case 'oauth2':
    case 'openIdConnect':
      return { kind: 'oauth2', auth: { kind: 'oauth2', connection: name } }
    default:
      return null
  }
}

function isSendable(name: string, place: string | null): boolean {
  if (place === 'header') return faultOfHeaderName(name) === null
  return name !== '' && (place === 'cookie' ? unfitForHeader(name) === null : !hasBreak(name))
}
