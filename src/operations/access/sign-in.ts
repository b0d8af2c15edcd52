// Signs users in and out with e-mail and password, and changes passwords.
import { CODE } from '../../base/error-catalogue.ts'
import { OperationError } from '../operation-error.ts'
import type { NewUser, UserView } from '../ports/access.ts'
import type { AuditAction } from '../ports/audit.ts'
import { hashNewPassword } from './hash-new-password.ts'
import { normalEmail } from './normal-email.ts'
import { digestOf } from './secret-code.ts'
import type { AccessServices } from './services.ts'
import { endWatching, type From, findSession, isBreakGlass, type OpenSession, openSession } from './sessions.ts'
import { proveSecondFactor } from './two-factor/prove-second-factor.ts'

export interface Credentials {
  email: string
  password: string
  /** A code of the user's second factor, or a recovery code. */
  code?: string
}

/** Signs a user in. An unknown address and a wrong password get the same answer after the same time. */
export async function signIn(
  services: AccessServices,
  given: Credentials,
  from: From,
  device: string | null,
): Promise<OpenSession> {
  const { users, passwords, attempts, devices, sso } = services.access
  const email = normalEmail(given.email)
  const by = { network: from.network, account: email, known: devices.find(device, email) }
  const session = await attempts.attempt(by, services.now(), async () => {
    const user = await users.byEmail(email)
    const matches = await passwords.match(given.password, user?.password ?? null)
    // Nobody learns from the answer whose password was right.
    if (sso.only && !(matches && isBreakGlass(user!))) {
      await recordFailure(services, user, from)
      throw new OperationError(CODE.forbidden, ONLY_SSO)
    }
    const opened = matches ? await withSecondFactor(services, user!, given.code, from, by.known) : null
    if (opened === null) {
      await recordFailure(services, user, from)
      throw new OperationError(CODE.unauthorized, 'The e-mail address or the password is wrong.')
    }
    return opened
  })
  // The password was right, so this is no failed attempt.
  if (session === 'code_needed')
    throw new OperationError(CODE.second_factor_required, 'Enter the code of your authenticator app.')
  return session
}

const ONLY_SSO =
  'People sign in by single sign-on here. Only a break-glass owner may use a password, and this e-mail and password are not of one.'

/** An unknown address may be a password in the wrong field, so it is not recorded. */
async function recordFailure(
  services: AccessServices,
  user: NewUser | null,
  { network }: From,
  details: Record<string, unknown> = {},
): Promise<void> {
  if (!services.access.attempts.worthRecording(services.now()))
    return services.audit.count('user.sign_in_failed', network)
  const target = user && { kind: 'user', id: user.id, name: user.email }
  await services.audit.record(NOBODY, 'user.sign_in_failed', target, { from: network, ...details })
}

/** Opens a session for a user whose password was right. Returns null if the user has another password by now. */
async function withSecondFactor(
  services: AccessServices,
  user: NewUser,
  code: string | undefined,
  from: From,
  known: string | null,
): Promise<OpenSession | null | 'code_needed'> {
  const factor = await services.access.twoFactor.store.get(user.id)
  if (!factor || factor.confirmedAt === null) return openRecorded(services, user, from, {})
  if (code === undefined) return 'code_needed'
  return services.access.attempts.attemptCode(known ?? user.id, services.now(), async () => {
    const proof = await proveSecondFactor(services, user.id, factor, code)
    if (proof === null) {
      await recordFailure(services, user, from, { secondFactor: 'wrong' })
      throw new OperationError(CODE.second_factor_required, 'The code is wrong, or was used before.')
    }
    return openRecorded(services, user, from, { secondFactor: proof })
  })
}

const openRecorded = (
  services: AccessServices,
  user: NewUser,
  from: From,
  details: Record<string, unknown>,
): Promise<OpenSession | null> =>
  services.audit.together(async () => {
    const session = await openSession(services, user, from)
    if (session) await record(services, session.user, 'user.sign_in', { from: from.network, ...details })
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
  from: From,
): Promise<OpenSession> {
  const { users, passwords, attempts } = services.access
  const by = { network: from.network, account: user.email, known: `session of ${user.id}` }
  return attempts.attempt(by, services.now(), async () => {
    const current = await users.byEmail(user.email)
    const refused = new OperationError(CODE.invalid_request, 'The current password is wrong.')
    if (!(await passwords.match(given.currentPassword, current?.password ?? null))) throw refused
    const password = await hashNewPassword(passwords, given.newPassword)
    await services.audit.together(async () => {
      if (!(await users.setPassword(user.id, password, current!.password))) throw refused
      await record(services, user, 'user.password_change')
    })
    endWatching(services, user.id)
    const session = await openSession(services, { ...current!, password }, from)
    if (!session) throw new OperationError(CODE.conflict, 'The password was changed twice at once; sign in again.')
    return session
  })
}

const NOBODY = { id: null, name: 'nobody' }

function record(services: AccessServices, user: UserView, action: AuditAction, details = {}): Promise<void> {
  const target = { kind: 'user', id: user.id, name: user.email }
  return services.audit.record({ id: user.id, name: user.email }, action, target, details)
}
