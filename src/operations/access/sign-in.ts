// Signs users in and out with e-mail and password, and changes passwords.
import { CODE } from '../../base/error-catalogue.ts'
import { OperationError } from '../operation-error.ts'
import type { NewUser, UserView } from '../ports/access.ts'
import type { AuditAction } from '../ports/audit.ts'
import { normalEmail } from './normal-email.ts'
import { digestOf } from './secret-code.ts'
import type { AccessServices } from './services.ts'
import { endWatching, findSession, type OpenSession, openSession } from './sessions.ts'

export interface Credentials {
  email: string
  password: string
}

/** Signs a user in. An unknown address and a wrong password get the same answer after the same time. */
export async function signIn(
  services: AccessServices,
  given: Credentials,
  network: string,
  device: string | null,
): Promise<OpenSession> {
  const { users, passwords, attempts, devices } = services.access
  const email = normalEmail(given.email)
  const by = { network, account: email, known: devices.find(device, email) }
  return attempts.attempt(by, services.now(), async () => {
    const user = await users.byEmail(email)
    const matches = await passwords.match(given.password, user?.password ?? null)
    const session = matches ? await openRecorded(services, user!, network) : null
    if (!session) {
      // An unknown address may be a password in the wrong field, so it is not recorded.
      const target = user && { kind: 'user', id: user.id, name: user.email }
      if (attempts.worthRecording(services.now()))
        await services.audit.record(NOBODY, 'user.sign_in_failed', target, { from: network })
      throw new OperationError(CODE.unauthorized, 'The e-mail address or the password is wrong.')
    }
    return session
  })
}

const openRecorded = (services: AccessServices, user: NewUser, network: string): Promise<OpenSession | null> =>
  services.audit.together(async () => {
    const session = await openSession(services, user)
    if (session) await record(services, session.user, 'user.sign_in', { from: network })
    return session
  })

export async function signOut(services: AccessServices, token: string): Promise<void> {
  const found = await findSession(services, token)
  if (!found) return
  await services.audit.together(async () => {
    await services.access.sessions.end(digestOf(token))
    await record(services, found.actor.user, 'user.sign_out')
  })
  endWatching(services, found.actor.id!)
}

/** Changes the password and ends every session of the user. The session that asked is replaced by a new one. */
export async function changePassword(
  services: AccessServices,
  user: UserView,
  given: { currentPassword: string; newPassword: string },
  network: string,
): Promise<OpenSession> {
  const { users, passwords, attempts } = services.access
  const by = { network, account: user.email, known: `session of ${user.id}` }
  return attempts.attempt(by, services.now(), async () => {
    const current = await users.byEmail(user.email)
    const refused = new OperationError(CODE.invalid_request, 'The current password is wrong.')
    if (!(await passwords.match(given.currentPassword, current?.password ?? null))) throw refused
    const password = await passwords.hash(given.newPassword)
    await services.audit.together(async () => {
      if (!(await users.setPassword(user.id, password, current!.password))) throw refused
      await record(services, user, 'user.password_change')
    })
    endWatching(services, user.id)
    const session = await openSession(services, { ...current!, password })
    if (!session) throw new OperationError(CODE.conflict, 'The password was changed twice at once; sign in again.')
    return session
  })
}

const NOBODY = { id: null, name: 'nobody' }

function record(services: AccessServices, user: UserView, action: AuditAction, details = {}): Promise<void> {
  const target = { kind: 'user', id: user.id, name: user.email }
  return services.audit.record({ id: user.id, name: user.email }, action, target, details)
}
