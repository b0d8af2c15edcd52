// Decides the role of somebody by the groups that a provider names.
import type { Role } from '../../ports/access.ts'
import type { OidcProvider } from '../../ports/sign-in/oidc-client.ts'
import { reaches, SCOPE_OF } from '../scopes.ts'

/** Returns the highest role that a group gives, or else the default; null: none. */
export function roleOf({ roles, defaultRole }: OidcProvider, groups: readonly string[]): Role | null {
  const isIn = new Set(groups)
  const given = (roles?.roles ?? []).filter(({ value }) => isIn.has(value)).map(({ role }) => role)
  return (
    given.reduce<Role | null>(
      (highest, role) => (highest !== null && reaches(SCOPE_OF[highest], SCOPE_OF[role]) ? highest : role),
      null,
    ) ?? defaultRole
  )
}
