// Turns credentials into the settings for authentication, which are sealed when the flow is saved.
import { hasTemplate } from '../check.ts'
import { decodeBase64 } from '../expression/values/base64.ts'
import { splitAt } from './curl-data.ts'
import type { HttpAuth } from './http-settings.ts'

export function authOfHeader(name: string, value: string): HttpAuth | null {
  if (/^(?:x-)?api-?key$/i.test(name)) return { kind: 'apiKey', name, value, in: 'header' }
  if (name.toLowerCase() !== 'authorization') return null
  const [, scheme, rest] = /^(Bearer|Basic)\s+(\S.*)$/i.exec(value) ?? []
  if (scheme?.toLowerCase() === 'bearer') return { kind: 'bearer', token: rest! }
  const plain = scheme ? decodeBase64(rest!) : undefined
  const [username, password] = splitAt(plain ?? '', ':')
  return plain && password !== undefined ? { kind: 'basic', username, password } : null
}

/** Parses `user:password`, as a URL contains it. */
export function authOfUrl(credentials: string): HttpAuth {
  const [username, password] = splitAt(credentials, ':')
  return { kind: 'basic', username: decoded(username), password: decoded(password ?? '') }
}

function decoded(text: string): string {
  if (hasTemplate(text)) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
