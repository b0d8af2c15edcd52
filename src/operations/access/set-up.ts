// Creates the first owner, once, for the person who can read the log of the start.
import { CODE } from '../../base/error-catalogue.ts'
import { UNIONS } from '../../base/scopes.ts'
import { OperationError } from '../operation-error.ts'
import { hashNewPassword } from './hash-new-password.ts'
import { normalEmail } from './normal-email.ts'
import type { AccessServices } from './services.ts'
import { type From, type OpenSession, openSession } from './sessions.ts'

export interface NewOwner {
  code: string
  email: string
  name: string
  password: string
}

export async function setUp(services: AccessServices, given: NewOwner, from: From): Promise<OpenSession> {
  const { users, passwords, attempts } = services.access
  const closed = new OperationError(CODE.conflict, 'Millrace has an owner already; sign in, or ask for an invitation.')
  if (await users.isSetUp()) throw closed
  return attempts.attempt({ network: from.network, account: null, known: null }, services.now(), async () => {
    if (!services.access.setUp.matches(given.code))
      throw new OperationError(
        CODE.unauthorized,
        'This is not the set-up code; the link is in the log of the last start.',
      )
    const owner = {
      id: services.ids.next('usr'),
      email: normalEmail(given.email),
      name: given.name,
      role: 'owner',
      scopes: UNIONS.admin,
      createdAt: services.now(),
      lastSignInAt: null,
      // Whoever reads the log of the start is on the machine; without this the owner could not come back.
      breakGlass: services.access.sso.only,
      password: await hashNewPassword(passwords, given.password),
    }
    await services.audit.together(async () => {
      if (!(await users.addFirstOwner(owner))) throw closed
      const target = { kind: 'user', id: owner.id, name: owner.email }
      await services.audit.record({ id: owner.id, name: owner.email }, 'user.setup', target)
    })
    return (await openSession(services, owner, from))!
  })
}
