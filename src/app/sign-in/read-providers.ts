// Reads the providers of single sign-on from the settings that config.ts hands over.
import { ROLE_NAME } from '../../base/scopes.ts'
import type { OidcProvider, RoleRules } from '../../operations/ports/sign-in/oidc-client.ts'

/** The variables of a provider. A further one has its number after OIDC: MILLRACE_OIDC_2_ISSUER. */
export interface ProviderVariables {
  issuer: string
  clientId: string
  clientSecret: string
  name: string
  roles: string
  defaultRole: string
}

type Refuse = (name: string, fault: string, example: string) => never

interface Reading {
  get(name: string): string | undefined
  refuse: Refuse
}

const MOST_PROVIDERS = 9
const PREFIX = 'MILLRACE_OIDC_'
const ROLES_EXAMPLE = 'claim=groups;admins=owner;devs=editor'

export function readProviders(variables: ProviderVariables, reading: Reading): OidcProvider[] {
  const providers: OidcProvider[] = []
  for (let number = 1; number <= MOST_PROVIDERS; number++) {
    const numbered = (name: string) => (number === 1 ? name : name.replace(PREFIX, `${PREFIX}${number}_`))
    const names = Object.fromEntries(
      Object.entries(variables).map(([key, name]) => [key, numbered(name)]),
    ) as unknown as ProviderVariables
    const provider = readProvider(String(number), names, reading)
    if (provider) providers.push(provider)
  }
  return providers
}

function readProvider(id: string, names: ProviderVariables, { get, ...reading }: Reading): OidcProvider | null {
  const refuse: Refuse = reading.refuse
  const issuer = get(names.issuer)
  if (issuer === undefined) {
    const other = Object.values(names).find((name) => get(name) !== undefined)
    if (other) refuse(names.issuer, `it is not set, but ${other} is`, 'https://id.example.com')
    return null
  }
  const url = URL.canParse(issuer) ? new URL(issuer) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    refuse(names.issuer, `"${issuer}" is not the URL of an issuer`, 'https://id.example.com/realms/staff')
  return {
    id,
    name: get(names.name) ?? url.host,
    issuer: url.href,
    clientId: get(names.clientId) ?? refuse(names.clientId, `it is not set, but ${names.issuer} is`, 'millrace'),
    clientSecret: get(names.clientSecret) ?? null,
    roles: rolesOf(get(names.roles), (fault) => refuse(names.roles, fault, ROLES_EXAMPLE)),
    defaultRole: defaultRoleOf(get(names.defaultRole), (fault) => refuse(names.defaultRole, fault, 'viewer')),
  }
}

function rolesOf(text: string | undefined, refuse: (fault: string) => never): RoleRules | null {
  if (text === undefined) return null
  let claim = 'groups'
  const roles: { value: string; role: string }[] = []
  for (const part of text.split(';')) {
    if (part.trim() === '') continue
    const at = part.lastIndexOf('=')
    const [value, given] = [part.slice(0, at).trim(), part.slice(at + 1).trim()]
    if (at === -1 || value === '') refuse(`"${part.trim()}" is not of the form group=role`)
    if (value === 'claim') claim = given
    else roles.push({ value, role: isRole(given) ? given : refuse(`"${given}" is no name of a role`) })
  }
  if (claim === '' || roles.length === 0) refuse('it gives nobody a role')
  return { claim, roles }
}

function defaultRoleOf(text: string | undefined, refuse: (fault: string) => never): string | null {
  if (text === undefined || text === 'none') return null
  return isRole(text) ? text : refuse(`"${text}" is neither none nor the name of a role`)
}

/** Whether there is such a role is known when somebody signs in. */
const isRole = (name: string): boolean => new RegExp(ROLE_NAME).test(name)
