// Turns resolved settings into the request to send, and into what the run shows of it.
import { CODE, filled, STEP_ERRORS } from '../../base/error-catalogue.ts'
import type { Credential } from '../../engine/ports/connections.ts'
import { type BodySource, OutboundError, type OutboundHeader } from '../../engine/ports/http-client.ts'
import { FormatError } from '../../flow/formats/format-error.ts'
import { ALGORITHM } from './auth/aws-signature.ts'
import type { OpenFiles } from './open-files.ts'
import { givenBoundary, type RequestBody, requestBody } from './request-body.ts'
import type { HttpSettings } from './settings.ts'

type Pair = { name: string; value: string }

export interface BuiltRequest {
  method: string
  url: string
  headers: readonly OutboundHeader[]
  /** Not compressed yet. */
  body: string | Uint8Array | BodySource | null
  /** The body as text; null if there is none, or if it is files. */
  text: string | null
  /** The connections whose secrets the URL and the body were made from. */
  named: { url: readonly string[]; body: readonly string[] }
  shown: { method: string; url: string; headers: Pair[]; body: unknown }
}

export interface RequestIdentity {
  runId: string
  path: string
  holdsSecret(text: string): boolean
  /** What the connection gives that the step names as a whole; null if it names none. */
  credential: Credential | null
  /** Returns the connections whose secrets a setting was made from. */
  named(setting: string): readonly string[]
  files: OpenFiles
}

const MASK = '***'
const CREDENTIAL_NAMES = new Set(['authorization', 'cookie', 'proxy-authorization'])

/** Throws OutboundError for a query or user name that cannot be sent; the client checks URL and headers. */
export function buildRequest(settings: HttpSettings, identity: RequestIdentity): BuiltRequest {
  const { method } = settings
  const connection = connectionOf(settings)
  const auth = identity.credential ?? ownCredential(settings)
  const headers: OutboundHeader[] = []
  for (const [i, { name, value }] of (settings.headers ?? []).entries()) {
    const named = identity.named(`/headers/${i}`)
    const credential = CREDENTIAL_NAMES.has(name.toLowerCase()) || named.length > 0 || identity.holdsSecret(value)
    headers.push({ name, value, credential, ...(named.length > 0 && { named }) })
  }

  const body = settings.body ? withContentType(settings.body, headers, identity.files) : null
  if (body && settings.compress)
    replace(headers, { name: 'Content-Encoding', value: settings.compress, credential: false })
  const inAuth = connection === null ? identity.named('/auth') : [connection]
  const header = auth && authHeader(auth)
  // Two Authorization headers are never valid.
  if (header) replace(headers, { ...header, credential: true, named: inAuth })
  if (settings.idempotencyKey && find(headers, 'idempotency-key') === undefined)
    headers.push({ name: 'Idempotency-Key', value: `${identity.runId}:${identity.path}`, credential: false })

  const query = settings.query ?? []
  const key = auth?.kind === 'apiKey' && auth.in === 'query' ? [auth] : []
  const hidden = key.map(({ name }) => ({ name, value: MASK }))
  return {
    method,
    url: withQuery(settings.url, [...query, ...key]),
    headers,
    body: body?.content ?? null,
    text: body?.text ?? null,
    named: {
      url: [...identity.named('/url'), ...identity.named('/query'), ...(key.length ? inAuth : [])],
      body: identity.named('/body'),
    },
    shown: {
      method,
      url: withQuery(settings.url, [...query, ...hidden]),
      headers: headers.map(({ name, value, credential }) => ({ name, value: credential ? masked(value) : value })),
      body: body?.shown ?? null,
    },
  }
}

function withContentType(
  setting: NonNullable<HttpSettings['body']>,
  headers: OutboundHeader[],
  files: OpenFiles,
): RequestBody {
  const at = headers.findIndex(({ name }) => name.toLowerCase() === 'content-type')
  const given = headers[at]
  const body = written(setting, given?.value, files)
  const multipart = body.contentType.startsWith('multipart/')
  if (given === undefined) headers.push({ name: 'Content-Type', value: body.contentType, credential: false })
  else if (multipart && /^multipart\/form-data\b/i.test(given.value) && !givenBoundary(given.value))
    // The header needs the boundary of the body: without it no server could read the body.
    headers[at] = { ...given, value: body.contentType }
  return body
}

function written(setting: NonNullable<HttpSettings['body']>, given: string | undefined, files: OpenFiles): RequestBody {
  try {
    return requestBody(setting, given, files)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new OutboundError(CODE.invalid_body, filled(STEP_ERRORS.invalid_body.message, { fault: error.message }))
  }
}

/** Returns the connection whose credentials are sent as a whole; null if the settings name none. */
export const connectionOf = ({ auth }: HttpSettings): string | null =>
  auth && 'connection' in auth ? auth.connection : null

/** Returns the credentials that the settings hold. */
function ownCredential({ auth }: HttpSettings): Credential | null {
  return auth && (auth.kind === 'basic' || auth.kind === 'bearer' || auth.kind === 'apiKey') ? auth : null
}

function replace(headers: OutboundHeader[], header: OutboundHeader): void {
  const name = header.name.toLowerCase()
  for (let i = headers.length - 1; i >= 0; i--) if (headers[i]!.name.toLowerCase() === name) headers.splice(i, 1)
  headers.push(header)
}

/** Returns the header with the credentials; of those that a signature takes the place of, what is shown of it. */
function authHeader(auth: Credential): Pair | null {
  switch (auth.kind) {
    case 'basic': {
      if (auth.username.includes(':'))
        throw new OutboundError(
          CODE.invalid_header,
          'The user name for Basic Auth contains a colon',
          'A colon separates user name and password: it cannot be part of the name.',
        )
      return {
        name: 'Authorization',
        value: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`,
      }
    }
    case 'bearer':
      return { name: 'Authorization', value: `Bearer ${auth.token.replace(/^\s*bearer\s+/i, '')}` }
    case 'token':
      return { name: 'Authorization', value: `Bearer ${auth.token}` }
    case 'apiKey':
      return auth.in === 'query' ? null : { name: auth.name, value: auth.value }
    case 'digest':
      return { name: 'Authorization', value: `Digest ${MASK}` }
    case 'aws':
      return { name: 'Authorization', value: `${ALGORITHM} ${MASK}` }
    case 'certificate':
      return null
  }
}

/** Appends the pairs after the URL's own query; the fragment is never sent. */
export function withQuery(url: string, pairs: readonly Pair[]): string {
  const base = url.split('#', 1)[0]!
  if (pairs.length === 0) return base
  const joint = !base.includes('?') ? '?' : /[?&]$/.test(base) ? '' : '&'
  return base + joint + pairs.map(({ name, value }) => `${component(name)}=${component(value)}`).join('&')
}

function component(text: string): string {
  if (/[\r\n]/.test(text) || text.includes('\0'))
    throw new OutboundError(
      CODE.invalid_url,
      'A query parameter contains a line break or NUL character',
      'Remove it, for example with .trim().',
    )
  return encodeURIComponent(text.toWellFormed())
}

function find(headers: readonly OutboundHeader[], name: string): OutboundHeader | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)
}

/** The scheme stays readable, because leaving it out is a common mistake. */
function masked(value: string): string {
  const scheme = /^(?:Basic|Bearer|Digest|Token|ApiKey|AWS4-HMAC-SHA256) (?=\S)/i.exec(value)?.[0] ?? ''
  return scheme + MASK
}
