// Reads who somebody is from the claims of a provider. The signature is checked before; the claims are still data from outside.

import type { Login } from '../operations/ports/access.ts'
import type { OidcPerson, OidcProvider } from '../operations/ports/sign-in/oidc-client.ts'
import { OidcRefused } from '../operations/ports/sign-in/oidc-client.ts'

type Claims = Readonly<Record<string, unknown>>

const LONGEST_ID = 255
const LONGEST_EMAIL = 254
const LONGEST_NAME = 100
const MOST_GROUPS = 1000

const own = (claims: Claims, name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined)

const textOf = (value: unknown, longest: number): string | null =>
  typeof value === 'string' && value.trim() !== '' && value.length <= longest ? value.trim() : null

/** Returns whether the claims say all that an account needs. */
export const namedBy = (claims: Claims, { roles }: OidcProvider): boolean =>
  own(claims, 'email') !== undefined && (roles === null || own(claims, roles.claim) !== undefined)

export function readPerson(claims: Claims, login: Login, { roles }: OidcProvider): OidcPerson {
  if (login.subject === '' || login.subject.length > LONGEST_ID)
    throw new OidcRefused(`The subject has more than ${LONGEST_ID} characters.`)
  const verified = own(claims, 'email_verified')
  return {
    ...login,
    sid: textOf(own(claims, 'sid'), LONGEST_ID),
    email: textOf(own(claims, 'email'), LONGEST_EMAIL),
    emailVerified: verified === undefined ? null : verified === true || verified === 'true',
    name: textOf(own(claims, 'name'), LONGEST_NAME) ?? textOf(own(claims, 'preferred_username'), LONGEST_NAME),
    groups: roles ? groupsOf(own(claims, roles.claim)) : [],
  }
}

/** A list of names; some providers send one name alone. */
function groupsOf(value: unknown): string[] {
  const values = Array.isArray(value) ? value.slice(0, MOST_GROUPS) : [value]
  return values.filter((one) => typeof one === 'string')
}
