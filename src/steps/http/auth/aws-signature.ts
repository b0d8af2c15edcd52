// AWS Signature Version 4: signs a request by its method, path, query, headers and body.
import { createHash, createHmac } from 'node:crypto'
import type { AwsCredential } from '../../../engine/ports/connections.ts'

export interface AwsRequest {
  method: string
  /** The path, to be escaped once. */
  path: string
  query: Iterable<readonly [name: string, value: string]>
  /** All that is signed, with the host and the date. */
  headers: readonly { name: string; value: string }[]
  /** The hash of the body, or UNSIGNED-PAYLOAD. */
  bodyHash: string
}

export const ALGORITHM = 'AWS4-HMAC-SHA256'

/** `date`: as in X-Amz-Date. Returns the value of the Authorization header, and the signature in it. */
export function signAws(
  { accessKeyId, secretAccessKey, region, service }: AwsCredential,
  request: AwsRequest,
  date: string,
): { value: string; signature: string } {
  const { names, text } = canonicalRequest(request)
  const day = date.slice(0, 8)
  const scope = `${day}/${region}/${service}/aws4_request`
  let key: Buffer | string = `AWS4${secretAccessKey}`
  for (const part of [day, region, service, 'aws4_request']) key = hmac(key, part)
  const signature = hmac(key, [ALGORITHM, date, scope, sha256(text)].join('\n')).toString('hex')
  const value = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return { value, signature }
}

function canonicalRequest({ method, path, query, headers, bodyHash }: AwsRequest): { names: string; text: string } {
  const values = new Map<string, string[]>()
  for (const { name, value } of headers) {
    const all = values.get(name.toLowerCase()) ?? []
    all.push(value.trim().replaceAll(/[ \t]+/g, ' '))
    values.set(name.toLowerCase(), all)
  }
  const sorted = [...values].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const names = sorted.map(([name]) => name).join(';')
  const lines = sorted.map(([name, all]) => `${name}:${all.join(',')}\n`).join('')
  const text = [method, escaped(path).replaceAll('%2F', '/'), canonicalQuery(query), lines, names, bodyHash].join('\n')
  return { names, text }
}

/** Sorted by the escaped names, then by the escaped values. */
function canonicalQuery(query: AwsRequest['query']): string {
  const pairs = Array.from(query, ([name, value]) => [escaped(name), escaped(value)] as const)
  return pairs
    .toSorted(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** Escapes all but letters, digits and `-._~`. */
const escaped = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
