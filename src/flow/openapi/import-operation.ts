// Turns an operation of an OpenAPI description into an HTTP step, and lists what it left out.
import type { HttpRequestSettings } from '../curl/http-settings.ts'
import type { NotTaken } from '../curl/parse-curl.ts'
import { escapedUrl } from '../outbound-parts.ts'
import { follow, listAt, type Node, own, textAt } from './document.ts'
import { FILL_IN, placeholder, readParameters } from './parameters.ts'
import type { OpenApi, Operation } from './read-openapi.ts'
import { readBody } from './request-body.ts'
import { readSecurity } from './security.ts'
import { sendableHeaders, sendableQuery } from './sendable.ts'

export interface ImportedOperation {
  /** A suggested id for the step. */
  id: string
  settings: HttpRequestSettings
  notTaken: NotTaken[]
}

export function importOperation(
  { document }: OpenApi,
  { method, path, operationId, name }: Operation,
): ImportedOperation {
  const item = follow(document, own(own(document, 'paths'), path))
  const operation = own(item, method.toLowerCase())
  const notTaken: NotTaken[] = []
  const parameters = readParameters(document, item, operation, notTaken)
  const security = readSecurity(document, operation, notTaken)
  const { body, headers: typed } = readBody(document, operation, method, notTaken)
  const headers = sendableHeaders([...parameters.headers, ...typed, ...security.headers], notTaken)
  const query = sendableQuery(parameters.query, notTaken)
  return {
    id: stepId(operationId ?? name),
    settings: {
      method,
      url: serverUrl(document, item, operation, notTaken) + filledPath(path, parameters.path, notTaken),
      ...(query.length ? { query } : {}),
      ...(headers.length ? { headers } : {}),
      ...(body ? { body } : {}),
      ...(security.auth ? { auth: security.auth } : {}),
    },
    notTaken,
  }
}

const stepId = (text: string): string =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .slice(0, 64)
    .replace(/_+$/, '') || 'request'

function filledPath(path: string, values: ReadonlyMap<string, string>, notTaken: NotTaken[]): string {
  // A path without a slash at its start would extend the name of the host.
  const parts = path.replace(/^(?!\/)/, '/').split(/\{([^{}]*)\}/)
  return parts
    .map((part, i) => {
      if (i % 2 === 0) return escapedUrl(part)
      if (!values.has(part)) notTaken.push({ what: `${part} (path)`, reason: FILL_IN })
      return values.get(part) ?? placeholder(part)
    })
    .join('')
}

const NO_HOST = '{{ config.API_URL }}'

/** Returns the first server that is named, without a slash at its end. */
function serverUrl(document: Node, item: unknown, operation: unknown, notTaken: NotTaken[]): string {
  const [server, ...others] =
    [operation, item, document].map((of) => listAt(of, 'servers')).find((list) => list.length) ?? []
  for (const other of others)
    notTaken.push({
      what: textAt(other, 'url') ?? 'A server',
      reason: 'Another server: the import takes the first one.',
    })
  const written = (textAt(server, 'url') ?? '').replaceAll(/\{([^{}]*)\}/g, (_, name: string) =>
    variableOf(own(own(server, 'variables'), name), name, notTaken),
  )
  const url = escapedUrl(written).replace(/(?<!\/)\/+$/, '')
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) return hostOf(url, notTaken)
  notTaken.push({
    what: 'Server',
    reason: 'The description names no host: set MILLRACE_VAR_API_URL, or write the host instead.',
  })
  return NO_HOST + url.replace(/^(?=[^/])/, '/')
}

/** Returns the URL without credentials; a placeholder for the host if no request can be sent to it. */
function hostOf(url: string, notTaken: NotTaken[]): string {
  const [, scheme, authority, rest] = /^(https?:\/\/)([^/?#]*)(.*)$/i.exec(url) ?? []
  const host = authority?.slice(authority.lastIndexOf('@') + 1)
  if (!host || !URL.canParse(`${scheme}${host}`) || new URL(`${scheme}${host}`).port === '0') {
    notTaken.push({
      what: 'Server',
      reason: 'Its URL cannot be called: set MILLRACE_VAR_API_URL, or write the host instead.',
    })
    return NO_HOST
  }
  if (host !== authority)
    notTaken.push({ what: 'Credentials in the URL of the server', reason: 'Use the authentication of the step.' })
  return `${scheme}${host}${rest}`
}

function variableOf(variable: unknown, name: string, notTaken: NotTaken[]): string {
  const value = textAt(variable, 'default') ?? ''
  const others = listAt(variable, 'enum').filter((one) => typeof one === 'string' && one !== value)
  notTaken.push({
    what: `${name} (server)`,
    reason: `The import takes its default, "${value}"${others.length ? `; it may also be ${others.join(', ')}` : ''}.`,
  })
  return value
}
