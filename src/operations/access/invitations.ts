// Invites users by a link that works once, within a week, and only while its creator may give the role.
import { CODE } from '../../base/error-catalogue.ts'
import { notFound, OperationError } from '../operation-error.ts'
import type { Actor, InvitationRecord } from '../ports/access.ts'
import type { Page, Paged } from '../ports/page.ts'
import { hashNewPassword } from './hash-new-password.ts'
import { normalEmail } from './normal-email.ts'
import { requireGivable, requireRole } from './roles.ts'
import { digestOf, newSecret } from './secret-code.ts'
import type { AccessServices } from './services.ts'
import { type From, type OpenSession, openSession } from './sessions.ts'
import { requirePasswords } from './single-sign-on/require-passwords.ts'

const VALID_MS = 7 * 86_400_000

export interface InvitationView {
  id: string
  email: string | null
  role: string
  createdAt: string
  expiresAt: string
}

const invitationView = ({ id, email, role, createdAt, expiresAt }: InvitationRecord): InvitationView => ({
  id,
  email,
  role,
  createdAt: new Date(createdAt).toISOString(),
  expiresAt: new Date(expiresAt).toISOString(),
})

const target = ({ id, email }: InvitationRecord) => ({ kind: 'invitation', id, name: email })

/** Creates an invitation. Its link is shown only once. */
export async function invite(
  services: AccessServices,
  actor: Actor,
  given: { role: string; email?: string },
): Promise<InvitationView & { url: string }> {
  requirePasswords(services)
  await requireGivable(services, actor, given.role)
  const code = newSecret()
  const createdAt = services.now()
  const invitation: InvitationRecord = {
    id: services.ids.next('inv'),
    email: given.email === undefined ? null : normalEmail(given.email),
    role: given.role,
    createdAt,
    expiresAt: createdAt + VALID_MS,
    userId: actor.userId,
  }
  await services.audit.together(async () => {
    if (!(await services.access.invitations.add(invitation, digestOf(code))))
      throw new OperationError(CODE.forbidden, 'Your role was changed meanwhile.')
    await services.audit.record(actor, 'invitation.create', target(invitation), { role: invitation.role })
  })
  return { ...invitationView(invitation), url: `${services.baseUrl}/invite#code=${code}` }
}

export async function listInvitations(services: AccessServices, page: Page): Promise<Paged<InvitationView>> {
  const { items, nextCursor } = await services.access.invitations.list(services.now(), page)
  return { items: items.map(invitationView), nextCursor }
}

export async function revokeInvitation(services: AccessServices, actor: Actor, id: string): Promise<void> {
  await services.audit.together(async () => {
    const revoked = await services.access.invitations.remove(id)
    if (!revoked) throw notFound('invitation', id)
    await services.audit.record(actor, 'invitation.revoke', target(revoked))
  })
}

const GONE = 'This invitation was used, was taken back or is past its time; ask for a new one.'

/** Returns what the holder of the link may know. */
export async function readInvitation(
  services: AccessServices,
  code: string,
  network: string,
): Promise<Pick<InvitationView, 'role' | 'email' | 'expiresAt'>> {
  return services.access.attempts.attempt({ network, account: null, known: null }, services.now(), async () => {
    const { role, email, expiresAt } = invitationView(await findInvitation(services, code))
    return { role, email, expiresAt }
  })
}

export interface Acceptance {
  code: string
  email: string
  name: string
  password: string
}

export async function acceptInvitation(services: AccessServices, given: Acceptance, from: From): Promise<OpenSession> {
  requirePasswords(services)
  const { users, passwords, attempts } = services.access
  return attempts.attempt({ network: from.network, account: null, known: null }, services.now(), async () => {
    const invitation = await findInvitation(services, given.code)
    const email = normalEmail(given.email)
    if (invitation.email !== null && invitation.email !== email)
      throw new OperationError(CODE.invalid_request, `This invitation is for ${invitation.email}.`)
    const user = {
      id: services.ids.next('usr'),
      email,
      name: given.name,
      role: invitation.role,
      scopes: (await requireRole(services, invitation.role)).scopes,
      createdAt: services.now(),
      lastSignInAt: null,
      breakGlass: false,
      password: await hashNewPassword(passwords, given.password),
    }
    const { role } = user
    await services.audit.together(async () => {
      const added = await users.addInvited(user, digestOf(given.code))
      if (added === 'no_invitation') throw new OperationError(CODE.not_found, GONE)
      if (added === 'email_taken')
        throw new OperationError(CODE.conflict, 'There is a user with this e-mail address already; sign in.')
      await services.audit.record({ id: user.id, name: email }, 'invitation.accept', target(invitation), { role })
    })
    const session = await openSession(services, user, from)
    if (!session) throw new OperationError(CODE.conflict, 'The user was removed at once.')
    return session
  })
}

async function findInvitation(services: AccessServices, code: string): Promise<InvitationRecord> {
  const invitation = await services.access.invitations.byCode(digestOf(code), services.now())
  if (!invitation) throw new OperationError(CODE.not_found, GONE)
  return invitation
}
