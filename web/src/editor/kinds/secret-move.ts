// What of a step's authentication goes to a connection when its secret does.
import type { ConnectionKind } from '../../api/api-types.ts'

export interface SecretMove {
  kind: ConnectionKind
  /** The setting that holds the secret; the field of the connection has the same name. */
  secret: 'token' | 'value' | 'password'
  /** The fields of the connection that are no secret. */
  fields: Record<string, string>
}

const SECRETS = ['token', 'value', 'password'] as const

/** Returns null if no stored secret is there. A setting beside it that is a template stays in the step. */
export function moveOf(auth: Record<string, unknown>, sealedPrefix: string): SecretMove | null {
  const secret = SECRETS.find((name) => typeof auth[name] === 'string' && auth[name].startsWith(sealedPrefix))
  if (!secret) return null
  const literal = (name: string) => {
    const value = auth[name]
    return typeof value === 'string' && value !== '' && !value.includes('{{') ? value : null
  }
  const named = { basic: literal('username'), apiKey: literal('name'), bearer: '' }[String(auth['kind'])]
  if (named === null || named === undefined) return { kind: 'custom', secret, fields: {} }
  switch (auth['kind']) {
    case 'basic':
      return { kind: 'basic', secret, fields: { username: named } }
    case 'apiKey':
      return { kind: 'apiKey', secret, fields: { name: named, in: auth['in'] === 'query' ? 'query' : 'header' } }
    default:
      return { kind: 'bearer', secret, fields: {} }
  }
}

/** Returns the host of a URL whose host is no template. */
export function hostOf(url: unknown): string | null {
  const host = typeof url === 'string' ? /^https?:\/\/([^/?#{}\s]+)(?=[/?#]|$)/i.exec(url)?.[1] : undefined
  return host ?? null
}
