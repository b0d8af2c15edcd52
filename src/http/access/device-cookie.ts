// The cookie that marks a browser that a user has signed in with before; it gives no access.
import type { KnownDevices } from '../../operations/access/known-devices.ts'
import { cookieOf } from './cookies.ts'

const YEAR_S = 365 * 86_400

export interface DeviceCookie {
  read(header: string | undefined): string | null
  /** Makes the cookie for a user who has just signed in; null: the browser already has one. */
  set(header: string | undefined, email: string): string | null
}

export function createDeviceCookie(baseUrl: string, devices: KnownDevices): DeviceCookie {
  const secure = baseUrl.startsWith('https:')
  const name = secure ? '__Host-millrace_device' : 'millrace_device'
  const attributes = `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}; Max-Age=${YEAR_S}`
  const read = (header: string | undefined) => cookieOf(header, name) ?? null
  return {
    read,
    set: (header, email) =>
      devices.find(read(header), email) === null ? `${name}=${devices.mark(email)}; ${attributes}` : null,
  }
}
