// Manages users and their roles. There is always at least one owner.

import { CODE } from '../../base/error-catalogue.ts'
import { notFound, OperationError } from '../operation-error.ts'
import type { Actor, Passwords, UserRecord, UserStore, UserView } from '../ports/access.ts'
import type { AuditTrail } from '../ports/audit.ts'
import type { Page, Paged } from '../ports/page.ts'
import { hashNewPassword } from './hash-new-password.ts'
import { normalEmail } from './normal-email.ts'
import { requireGivable } from './roles.ts'
import type { AccessServices } from './services.ts'
import { takeEffect, userView } from './sessions.ts'

export interface ListedUser extends UserView {
  createdAt: string
  lastSignInAt: string | null
  /** Whether the user has a second factor. */
  twoFactor: boolean
  breakGlass: boolean
}

const listed = (user: UserRecord, twoFactor: boolean): ListedUser => ({
  ...userView(user),
  createdAt: new Date(user.createdAt).toISOString(),
  lastSignInAt: user.lastSignInAt === null ? null : new Date(user.lastSignInAt).toISOString(),
  twoFactor,
  breakGlass: user.breakGlass,
})

const target = ({ id, email }: UserRecord) => ({ kind: 'user', id, name: email })

export async function listUsers(services: AccessServices, page: Page): Promise<Paged<ListedUser>> {
  const { items, nextCursor } = await services.access.users.list(page)
  const having = await services.access.twoFactor.store.having(items.map(({ id }) => id))
  return { items: items.map((user) => listed(user, having.has(user.id))), nextCursor }
}

export async function changeRole(
  services: AccessServices,
  actor: Actor,
  id: string,
  role: string,
): Promise<ListedUser> {
  await requireGivable(services, actor, role)
  const user = await services.audit.together(async () => {
    const found = changed(await services.access.users.setRole(id, role), id)
    await services.audit.record(actor, 'user.role_change', target(found), { role })
    return found
  })
  await takeEffect(services, [id])
  return listed(user, (await services.access.twoFactor.store.having([id])).has(id))
}

export async function deleteUser(services: AccessServices, actor: Actor, id: string): Promise<void> {
  await services.audit.together(async () => {
    const user = changed(await services.access.users.remove(id), id)
    await services.audit.record(actor, 'user.delete', target(user))
  })
  await takeEffect(services, [id])
}

function changed(user: UserRecord | 'last_owner' | 'no_role' | null, id: string): UserRecord {
  if (user === 'no_role') throw new OperationError(CODE.conflict, 'The role was deleted meanwhile.')
  if (user === null) throw notFound('user', id)
  if (user === 'last_owner')
    throw new OperationError(CODE.conflict, 'This is the last owner; make somebody else an owner first.')
  return user
}

/** Ends all sessions and tokens of the user, and what watches through them. */
export async function endAccess(services: AccessServices, { id }: UserRecord): Promise<void> {
  await services.access.sessions.endAllOf(id, null)
  await services.access.tokens.removeOf(id)
  await takeEffect(services, [id])
}

const PASSWORD_LENGTH = { least: 10, most: 256 }

/** Resets a password without the old one, for the operator with the data folder. Ends every session of the user. */
export async function resetPassword(
  services: { users: UserStore; passwords: Passwords; audit: AuditTrail },
  email: string,
  password: string,
): Promise<void> {
  const { least, most } = PASSWORD_LENGTH
  if (password.length < least || password.length > most)
    throw new OperationError(CODE.invalid_request, `A password has ${least} to ${most} characters.`)
  const user = await services.users.byEmail(normalEmail(email))
  const hash = await hashNewPassword(services.passwords, password)
  await services.audit.together(async () => {
    if (!user || !(await services.users.setPassword(user.id, hash, null))) throw notFound('user', email)
    await services.audit.record({ id: null, name: 'command line' }, 'user.password_reset', target(user))
  })
}
