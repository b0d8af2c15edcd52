// The cookie that binds a sign-in at a provider to the browser that began it. Its content is sealed.
import { AT_PROVIDER_MS } from '../../operations/access/single-sign-on/sign-in-by-provider.ts'
import { cookieOf } from './cookies.ts'

export interface ProviderCookie {
  read(header: string | undefined): string | null
  set(content: string): string
  clear(): string
}

export function createProviderCookie(baseUrl: string): ProviderCookie {
  const secure = baseUrl.startsWith('https:')
  // No sibling domain can set a cookie with this prefix: it could sign somebody in as another.
  const name = secure ? '__Host-millrace_oidc' : 'millrace_oidc'
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    read: (header) => cookieOf(header, name) || null,
    set: (content) => `${name}=${content}; ${attributes}; Max-Age=${AT_PROVIDER_MS / 1000}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  }
}
