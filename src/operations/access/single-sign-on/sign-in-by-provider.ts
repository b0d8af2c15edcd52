// Signs people in by a provider of single sign-on: sends the browser there, and accepts it back.
import type { Scopes } from '../../../base/scopes.ts'
import { notFound } from '../../operation-error.ts'
import type { NewUser, UserRecord, UserView } from '../../ports/access.ts'
import type { IdentityRecord } from '../../ports/sign-in/identities.ts'
import { type Expected, type OidcPerson, type OidcProvider, OidcRefused } from '../../ports/sign-in/oidc-client.ts'
import { normalEmail } from '../normal-email.ts'
import { digestOf } from '../secret-code.ts'
import type { AccessServices } from '../services.ts'
import { type From, type OpenSession, openByLogin, takeEffect } from '../sessions.ts'
import { endAccess } from '../users.ts'
import { linkIdentity } from './identities.ts'
import { roleOf } from './role-of.ts'

export const AT_PROVIDER_MS = 600_000

/** What the browser keeps, sealed, while it is at the provider. The service itself keeps nothing of strangers. */
interface UnderWay {
  provider: string
  expected: Expected
  /** The session of the user who links an identity; null for a sign-in. */
  session: string | null
  /** Where to go afterwards. */
  to: string
  expiresAt: number
}

const BINDING = 'oidc-sign-in'

export interface BegunSignIn {
  url: string
  /** The content of the cookie that binds the sign-in to this browser. */
  cookie: string
}

export function providerOf({ access }: AccessServices, id: string): OidcProvider {
  const provider = access.sso.providers.find((one) => one.id === id)
  if (!provider) throw notFound('provider', id)
  return provider
}

/** Sends a browser to a provider; `session`: the content of the cookie of the user who links an identity. */
export async function beginAtProvider(
  services: AccessServices,
  id: string,
  session: string | null,
  to: string,
): Promise<BegunSignIn> {
  const { client, sealing } = services.access.sso
  const provider = providerOf(services, id)
  const { url, expected } = await client.begin(provider, redirectUri(services, provider))
  const underWay: UnderWay = {
    provider: id,
    expected,
    session: session && digestOf(session),
    to,
    expiresAt: services.now() + AT_PROVIDER_MS,
  }
  return { url, cookie: sealing.seal(JSON.stringify(underWay), BINDING) }
}

export interface ReturnFromProvider {
  provider: string
  parameters: URLSearchParams
  /** The content of the cookie; null: the browser has none. */
  cookie: string | null
  /** The session of this browser, and who is signed in by it. */
  session: { id: string; user: UserView } | null
  from: From
}

/** `session` is null if an identity was linked: the session stays as it is. */
export interface FinishedSignIn {
  session: OpenSession | null
  to: string
}

/** Accepts a browser back. Rejects with OidcRefused, whose message is for the person. */
export async function finishAtProvider(services: AccessServices, back: ReturnFromProvider): Promise<FinishedSignIn> {
  const by = { network: back.from.network, account: null, known: null }
  const provider = providerOf(services, back.provider)
  return services.access.attempts.attempt(by, services.now(), async () => {
    try {
      return await finish(services, provider, back)
    } catch (error) {
      if (error instanceof OidcRefused) await recordRefusal(services, provider, back.from, error.message)
      throw error
    }
  })
}

async function finish(
  services: AccessServices,
  provider: OidcProvider,
  back: ReturnFromProvider,
): Promise<FinishedSignIn> {
  const underWay = openCookie(services, back)
  const { client } = services.access.sso
  const person = await client.finish(provider, redirectUri(services, provider), back.parameters, underWay.expected)
  if (underWay.session !== null) {
    // Somebody else may have signed in meanwhile: their account must not get this identity. What a session began ends with it.
    if (back.session?.id !== underWay.session)
      throw new OidcRefused(
        'You are no longer signed in as the user who wanted to link this account: sign in and try again.',
      )
    await linkIdentity(services, back.session.user, provider, person)
    return { session: null, to: underWay.to }
  }
  const identity = await services.access.sso.identities.find(person)
  const user = identity ? await known(services, provider, person, identity) : await join(services, provider, person)
  const session = await services.audit.together(async () => {
    const { issuer, subject, sid } = person
    const opened = await openByLogin(services, user, { issuer, subject, sid }, back.from)
    if (!opened) throw new OidcRefused('This account was unlinked or removed meanwhile.')
    const target = { kind: 'user', id: user.id, name: user.email }
    const details = { from: back.from.network, by: provider.name }
    await services.audit.record({ id: user.id, name: user.email }, 'user.sign_in', target, details)
    return opened
  })
  return { session, to: underWay.to }
}

const AGAIN = 'go back to sign-in and begin again.'

function openCookie(services: AccessServices, back: ReturnFromProvider): UnderWay {
  const text = back.cookie === null ? null : services.access.sso.sealing.unseal(back.cookie, BINDING)
  if (text === null) throw new OidcRefused(`This sign-in was not begun in this browser, or was used before: ${AGAIN}`)
  const underWay = JSON.parse(text) as UnderWay
  if (services.now() >= underWay.expiresAt) throw new OidcRefused(`It took longer than 10 minutes: ${AGAIN}`)
  // The answer of one provider is never used with another (mix-up).
  if (underWay.provider !== back.provider)
    throw new OidcRefused(`This sign-in was begun with another provider: ${AGAIN}`)
  return underWay
}

/** Returns the roles that there are. The settings may name others: an owner has deleted or not yet made them. */
async function rolesOf(services: AccessServices, provider: OidcProvider): Promise<ReadonlyMap<string, Scopes>> {
  const roles = new Map((await services.access.roles.list()).map(({ name, scopes }) => [name, scopes]))
  const named = [
    ...(provider.roles?.roles ?? []).map(({ role }) => role),
    ...(provider.defaultRole ? [provider.defaultRole] : []),
  ]
  for (const role of new Set(named))
    if (!roles.has(role)) services.warn('the settings of single sign-on name a role that does not exist', { role })
  return roles
}

/** Somebody who was here before: the provider decides the role of accounts that it made. */
async function known(
  services: AccessServices,
  provider: OidcProvider,
  person: OidcPerson,
  identity: IdentityRecord,
): Promise<UserRecord> {
  const user = await services.access.users.get(identity.userId)
  if (!user) throw new OidcRefused('This account was removed meanwhile.')
  if (!identity.madeAccount || provider.roles === null || user.breakGlass) return user
  const role = roleOf(provider, person.groups, await rolesOf(services, provider))
  if (role === null) {
    // What is left of the account's rights ends: its sessions and its tokens.
    await setRole(services, provider, user, 'viewer')
    await endAccess(services, user)
    throw new OidcRefused(noRole(provider))
  }
  return setRole(services, provider, user, role)
}

async function setRole(
  services: AccessServices,
  provider: OidcProvider,
  user: UserRecord,
  role: string,
): Promise<UserRecord> {
  if (user.role === role) return user
  const changed = await services.audit.together(async () => {
    const found = await services.access.users.setRole(user.id, role)
    if (found === null) throw new OidcRefused('This account was removed meanwhile.')
    if (found === 'no_role') throw new OidcRefused(`Your role was changed meanwhile: ${AGAIN}`)
    // There is always an owner, whatever a directory says.
    if (found === 'last_owner') return null
    const target = { kind: 'user', id: user.id, name: user.email }
    await services.audit.record({ id: null, name: provider.name }, 'user.role_change', target, {
      role,
      from: user.role,
    })
    return found
  })
  if (changed === null) {
    services.warn('the last owner keeps the role, although the provider gives another', { email: user.email, role })
    return user
  }
  await takeEffect(services, [user.id])
  return changed
}

/** Somebody new. An address that is known already is never taken over: whoever says so at a provider may be anyone. */
async function join(services: AccessServices, provider: OidcProvider, person: OidcPerson): Promise<UserRecord> {
  if (!(await services.access.users.isSetUp()))
    throw new OidcRefused('Millrace has no owner yet: the set-up link is in its log. Sign in after that.')
  const roles = await rolesOf(services, provider)
  const role = roleOf(provider, person.groups, roles)
  if (role === null) throw new OidcRefused(noRole(provider))
  if (person.email === null || !/^[^\s@]+@[^\s@]+$/.test(person.email))
    throw new OidcRefused(`${provider.name} sends no e-mail address, which an account needs.`)
  if (person.emailVerified === false)
    throw new OidcRefused(`${provider.name} says that your e-mail address was not verified: verify it there first.`)
  const createdAt = services.now()
  const user: NewUser = {
    id: services.ids.next('usr'),
    email: normalEmail(person.email),
    name: person.name ?? person.email,
    role,
    scopes: roles.get(role)!,
    createdAt,
    lastSignInAt: null,
    breakGlass: false,
    password: null,
  }
  const identity: IdentityRecord = {
    id: services.ids.next('idn'),
    userId: user.id,
    issuer: person.issuer,
    subject: person.subject,
    email: user.email,
    madeAccount: true,
    createdAt,
    usedAt: null,
  }
  await services.audit.together(async () => {
    const added = await services.access.sso.identities.addWithUser(user, identity)
    if (added === 'identity_taken') throw new OidcRefused(`You signed in twice at once: ${AGAIN}`)
    if (added === 'email_taken')
      throw new OidcRefused(
        `There is an account with the address ${user.email} already. Sign in with your password, and link ${provider.name} in Settings, Profile.`,
      )
    const target = { kind: 'user', id: user.id, name: user.email }
    await services.audit.record({ id: user.id, name: user.email }, 'user.join', target, { role, by: provider.name })
  })
  return user
}

const noRole = ({ name }: OidcProvider): string =>
  `Your account at ${name} gives you no access to Millrace. Ask an owner of Millrace, or whoever looks after ${name}.`

async function recordRefusal(
  services: AccessServices,
  provider: OidcProvider,
  { network }: From,
  reason: string,
): Promise<void> {
  if (!services.access.attempts.worthRecording(services.now()))
    return services.audit.count('user.sign_in_failed', network)
  const details = { from: network, by: provider.name, reason }
  await services.audit.record({ id: null, name: 'nobody' }, 'user.sign_in_failed', null, details)
}

const redirectUri = ({ baseUrl }: AccessServices, { id }: OidcProvider): string =>
  `${baseUrl}/api/auth/oidc/${id}/callback`
