// Links the accounts of a signed-in user at providers, and unlinks them.
import { CODE } from '../../../base/error-catalogue.ts'
import { notFound, OperationError } from '../../operation-error.ts'
import type { UserView } from '../../ports/access.ts'
import type { IdentityRecord } from '../../ports/sign-in/identities.ts'
import { type OidcPerson, type OidcProvider, OidcRefused } from '../../ports/sign-in/oidc-client.ts'
import type { AccessServices } from '../services.ts'
import { endWatching } from '../sessions.ts'

export interface IdentityView {
  id: string
  /** The name of the provider; null if it is no longer configured. */
  provider: string | null
  email: string | null
  createdAt: string
  lastUsedAt: string | null
}

const targetOf = ({ id, email }: UserView) => ({ kind: 'user', id, name: email })

export async function listIdentities(services: AccessServices, user: UserView): Promise<IdentityView[]> {
  const { identities, providers } = services.access.sso
  return (await identities.listOf(user.id)).map(({ id, issuer, email, createdAt, usedAt }) => ({
    id,
    provider: providers.find((provider) => provider.issuer === issuer)?.name ?? null,
    email,
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: usedAt === null ? null : new Date(usedAt).toISOString(),
  }))
}

export async function linkIdentity(
  services: AccessServices,
  user: UserView,
  provider: OidcProvider,
  { issuer, subject, email }: OidcPerson,
): Promise<void> {
  const { identities } = services.access.sso
  const before = await identities.find({ issuer, subject })
  if (before?.userId === user.id) return
  const taken = new OidcRefused(`This account at ${provider.name} belongs to another user of Millrace.`)
  if (before) throw taken
  const identity: IdentityRecord = {
    id: services.ids.next('idn'),
    userId: user.id,
    issuer,
    subject,
    email,
    madeAccount: false,
    createdAt: services.now(),
    usedAt: null,
  }
  await services.audit.together(async () => {
    if (!(await identities.link(identity))) throw taken
    const by = { id: user.id, name: user.email }
    await services.audit.record(by, 'user.identity_link', targetOf(user), { provider: provider.name })
  })
}

export async function unlinkIdentity(services: AccessServices, user: UserView, id: string): Promise<void> {
  const { access, audit } = services
  const found = await access.users.byEmail(user.email)
  const all = await access.sso.identities.listOf(user.id)
  if (found?.password === null && all.length === 1 && all[0]!.id === id)
    throw new OperationError(CODE.conflict, 'This is the only way you can sign in: your account has no password.')
  await audit.together(async () => {
    const unlinked = await access.sso.identities.unlink(id, user.id)
    if (!unlinked) throw notFound('linked account', id)
    const provider = access.sso.providers.find(({ issuer }) => issuer === unlinked.issuer)?.name ?? unlinked.issuer
    await audit.record({ id: user.id, name: user.email }, 'user.identity_unlink', targetOf(user), { provider })
  })
  endWatching(services, user.id)
}
