// Roles are names for scopes. Every installation has three, and owners make others.
import { CODE } from '../../base/error-catalogue.ts'
import { inOrder, reaches, type Scopes, scopeWords } from '../../base/scopes.ts'
import { notFound, OperationError } from '../operation-error.ts'
import type { Actor, RoleRecord } from '../ports/access.ts'
import type { AccessServices } from './services.ts'
import { takeEffect } from './sessions.ts'

export interface RoleView {
  name: string
  scopes: Scopes
  /** Whether every installation has it. */
  builtIn: boolean
}

const roleView = ({ name, scopes, createdAt }: RoleRecord): RoleView => ({ name, scopes, builtIn: createdAt === null })

const target = (name: string) => ({ kind: 'role', id: name, name })

export async function listRoles({ access }: AccessServices): Promise<{ items: RoleView[] }> {
  return { items: (await access.roles.list()).map(roleView) }
}

export async function createRole(
  services: AccessServices,
  actor: Actor,
  given: { name: string; scopes: Scopes },
): Promise<RoleView> {
  const role = { name: given.name, scopes: inOrder(given.scopes), createdAt: services.now() }
  requireReach(actor, role.scopes)
  await services.audit.together(async () => {
    if (!(await services.access.roles.add(role)))
      throw new OperationError(CODE.conflict, `There is a role with the name ${role.name} already.`)
    await services.audit.record(actor, 'role.create', target(role.name), { scopes: role.scopes })
  })
  return roleView(role)
}

/** Gives a role other scopes. A user who loses one of them has to sign in again. */
export async function changeScopes(
  services: AccessServices,
  actor: Actor,
  name: string,
  given: Scopes,
): Promise<RoleView> {
  const scopes = inOrder(given)
  requireReach(actor, scopes)
  const role = await requireOwn(services, name)
  const users = await services.audit.together(async () => {
    const changed = await services.access.roles.change(name, scopes)
    if (!changed) throw notFound('role', name)
    await services.audit.record(actor, 'role.update', target(name), { scopes })
    return changed
  })
  if (!reaches(scopes, role.scopes)) await takeEffect(services, users)
  return roleView({ ...role, scopes })
}

export async function deleteRole(services: AccessServices, actor: Actor, name: string): Promise<void> {
  await requireOwn(services, name)
  await services.audit.together(async () => {
    const removed = await services.access.roles.remove(name, services.now())
    if (removed === null) throw notFound('role', name)
    if (removed === 'in_use')
      throw new OperationError(
        CODE.conflict,
        `Users or invitations have the role ${name}; give those users another role and revoke those invitations first.`,
      )
    await services.audit.record(actor, 'role.delete', target(name))
  })
}

/** Returns a role that an owner made. */
async function requireOwn(services: AccessServices, name: string): Promise<RoleRecord> {
  const role = await services.access.roles.get(name)
  if (!role) throw notFound('role', name)
  if (role.createdAt === null)
    throw new OperationError(
      CODE.conflict,
      `The role ${name} comes with Millrace and stays as it is; make another one.`,
    )
  return role
}

export async function requireRole({ access }: AccessServices, name: string): Promise<RoleRecord> {
  const role = await access.roles.get(name)
  if (!role)
    throw new OperationError(
      CODE.invalid_request,
      `There is no role with the name ${name}; GET /api/v1/roles lists them.`,
    )
  return role
}

/** Nobody gives others more than they have. */
export async function requireGivable(services: AccessServices, actor: Actor, name: string): Promise<void> {
  requireReach(actor, (await requireRole(services, name)).scopes)
}

function requireReach({ scopes }: Actor, wanted: Scopes): void {
  if (reaches(scopes, wanted)) return
  const missing = wanted.filter((scope) => !scopes.includes(scope))
  throw new OperationError(
    CODE.forbidden,
    `You cannot give the scope ${missing.join(', ')}: you have ${scopeWords(scopes)}.`,
  )
}
