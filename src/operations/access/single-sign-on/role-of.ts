// Decides the role of somebody by the groups that a provider names.
import type { Scopes } from '../../../base/scopes.ts'
import type { OidcProvider } from '../../ports/sign-in/oidc-client.ts'

/**
 * Returns the role with the most scopes that a group gives, the first of several, or else the default; null: none. `roles`: those
 * that there are; others give nothing.
 */
export function roleOf(
  { roles: rules, defaultRole }: OidcProvider,
  groups: readonly string[],
  roles: ReadonlyMap<string, Scopes>,
): string | null {
  const isIn = new Set(groups)
  const size = (role: string) => roles.get(role)!.length
  const given = (rules?.roles ?? [])
    .filter(({ value, role }) => isIn.has(value) && roles.has(role))
    .map(({ role }) => role)
  const highest = given.reduce<string | null>(
    (one, role) => (one !== null && size(one) >= size(role) ? one : role),
    null,
  )
  return highest ?? (defaultRole !== null && roles.has(defaultRole) ? defaultRole : null)
}
