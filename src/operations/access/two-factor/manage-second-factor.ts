// Sets up, renews and removes the second factor of a signed-in user, and that of others for an owner.
import { CODE } from '../../../base/error-catalogue.ts'
import { notFound, OperationError } from '../../operation-error.ts'
import type { Actor, UserRecord, UserView } from '../../ports/access.ts'
import type { AuditAction } from '../../ports/audit.ts'
import type { AccessServices } from '../services.ts'
import { endWatching, type From } from '../sessions.ts'
import { newRecoveryCodes, recoveryDigest } from './recovery-codes.ts'

export interface TwoFactorView {
  /** Whether the user signs in with a password: others show a second factor to their provider. */
  available: boolean
  enabledAt: string | null
  recoveryCodesLeft: number
  /** Whether the role of the user needs one. */
  required: boolean
}

export async function readTwoFactor(services: AccessServices, user: UserView): Promise<TwoFactorView> {
  const { users, twoFactor } = services.access
  const factor = await twoFactor.store.get(user.id)
  const enabledAt = factor?.confirmedAt ?? null
  return {
    available: ((await users.byEmail(user.email))?.password ?? null) !== null,
    enabledAt: enabledAt === null ? null : new Date(enabledAt).toISOString(),
    recoveryCodesLeft: enabledAt === null ? 0 : await twoFactor.store.recoveryCodesLeft(user.id),
    required: twoFactor.rule.isNeededBy(user.role),
  }
}

/** Makes a new secret, which counts once it is confirmed by a code. */
export async function beginTwoFactor(
  services: AccessServices,
  user: UserView,
  password: string,
  from: From,
): Promise<{ secret: string; url: string }> {
  await requirePassword(services, user, password, from)
  const { codes, store } = services.access.twoFactor
  const secret = codes.newSecret()
  if (!(await store.begin(user.id, secret, services.now())))
    throw new OperationError(CODE.conflict, 'You have a second factor already; turn it off first.')
  return { secret, url: codes.url(secret, user.email) }
}

/** Confirms the secret by its first code. Returns the recovery codes, which are shown only once. */
export async function confirmTwoFactor(services: AccessServices, user: UserView, code: string): Promise<string[]> {
  const { codes, store } = services.access.twoFactor
  return services.access.attempts.attemptCode(user.id, services.now(), async () => {
    const factor = await store.get(user.id)
    if (!factor || factor.confirmedAt !== null)
      throw new OperationError(CODE.conflict, 'There is nothing to confirm; begin again.')
    const step = codes.stepOf(factor.secret, code.replaceAll(/\s/g, ''), services.now())
    if (step === null)
      throw new OperationError(
        CODE.invalid_request,
        'The code is wrong. Check the clock of the device, and try the next code.',
      )
    const recoveryCodes = newRecoveryCodes()
    const digests = recoveryCodes.map((one) => recoveryDigest(user.id, one))
    await services.audit.together(async () => {
      if (!(await store.confirm(user.id, step, services.now(), digests)))
        throw new OperationError(CODE.conflict, 'There is nothing to confirm; begin again.')
      await record(services, user, 'user.second_factor_on')
    })
    return recoveryCodes
  })
}

/** Makes new recovery codes; the former ones no longer work. */
export async function renewRecoveryCodes(
  services: AccessServices,
  user: UserView,
  password: string,
  from: From,
): Promise<string[]> {
  await requirePassword(services, user, password, from)
  const { store } = services.access.twoFactor
  if (!(await store.get(user.id))?.confirmedAt) throw new OperationError(CODE.conflict, 'You have no second factor.')
  const recoveryCodes = newRecoveryCodes()
  await services.audit.together(async () => {
    await store.replaceRecoveryCodes(
      user.id,
      recoveryCodes.map((one) => recoveryDigest(user.id, one)),
    )
    await record(services, user, 'user.recovery_codes')
  })
  return recoveryCodes
}

export async function endTwoFactor(
  services: AccessServices,
  user: UserView,
  password: string,
  from: From,
): Promise<void> {
  await requirePassword(services, user, password, from)
  const { store, rule } = services.access.twoFactor
  if (rule.isNeededBy(user.role))
    throw new OperationError(CODE.conflict, `Your role, ${user.role}, needs a second factor: it cannot be turned off.`)
  await services.audit.together(async () => {
    if (!(await store.remove(user.id))) throw new OperationError(CODE.conflict, 'You have no second factor.')
    await record(services, user, 'user.second_factor_off')
  })
}

/** Removes the second factor of somebody who has lost it, and ends the sessions. */
export async function resetTwoFactor(services: AccessServices, actor: Actor, userId: string): Promise<void> {
  const user = await services.access.users.get(userId)
  if (!user) throw notFound('user', userId)
  await services.audit.together(async () => {
    if (!(await services.access.twoFactor.store.remove(userId)))
      throw new OperationError(CODE.conflict, 'This user has no second factor.')
    await services.access.sessions.endAllOf(userId, null)
    await services.audit.record(actor, 'user.second_factor_reset', targetOf(user))
  })
  endWatching(services, userId)
}

export async function readSecondFactorRule({ access }: AccessServices): Promise<{ roles: string[] }> {
  await access.twoFactor.rule.load()
  return { roles: access.twoFactor.rule.roles }
}

/** Says which roles need a second factor. Whoever has such a role and no factor can only set one up, from now on. */
export async function setSecondFactorRule(
  services: AccessServices,
  actor: Actor,
  given: readonly string[],
): Promise<{ roles: string[] }> {
  const { rule, store } = services.access.twoFactor
  // In the order of the list of roles, and only those that exist.
  const roles = (await services.access.roles.list()).map(({ name }) => name).filter((name) => given.includes(name))
  // An owner who locks themselves out would need the machine to get in again.
  const { user } = actor
  if (user && roles.includes(user.role) && !rule.isNeededBy(user.role)) {
    const own = await services.access.users.byEmail(user.email)
    if (own && own.password !== null && !(await store.get(user.id))?.confirmedAt)
      throw new OperationError(CODE.conflict, 'Set up your own second factor first: Settings, Profile.')
  }
  await services.audit.together(async () => {
    await rule.set(roles)
    await services.audit.record(actor, 'settings.two_factor', null, { roles: rule.roles })
  })
  services.signals.send({ topic: 'settings' })
  return { roles: rule.roles }
}

async function requirePassword(services: AccessServices, user: UserView, password: string, from: From): Promise<void> {
  const { users, passwords, attempts } = services.access
  const by = { network: from.network, account: user.email, known: `session of ${user.id}` }
  await attempts.attempt(by, services.now(), async () => {
    const found = await users.byEmail(user.email)
    if (found && found.password === null)
      throw new OperationError(CODE.conflict, 'You sign in by single sign-on, which asks for a second factor itself.')
    if (!(await passwords.match(password, found?.password ?? null)))
      throw new OperationError(CODE.invalid_request, 'The password is wrong.')
  })
}

const targetOf = ({ id, email }: UserView | UserRecord) => ({ kind: 'user', id, name: email })

const record = (services: AccessServices, user: UserView, action: AuditAction): Promise<void> =>
  services.audit.record({ id: user.id, name: user.email }, action, targetOf(user))
