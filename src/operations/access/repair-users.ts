// What the operator with the data folder does for users, without signing in.
import { CODE } from '../../base/error-catalogue.ts'
import { notFound, OperationError } from '../operation-error.ts'
import type { NewUser, SessionStore, UserStore } from '../ports/access.ts'
import type { AuditTrail } from '../ports/audit.ts'
import type { SecondFactorStore } from '../ports/sign-in/second-factors.ts'
import { normalEmail } from './normal-email.ts'

const COMMAND_LINE = { id: null, name: 'command line' }

interface Repair {
  users: UserStore
  audit: AuditTrail
}

async function userOf(users: UserStore, email: string): Promise<NewUser> {
  const user = await users.byEmail(normalEmail(email))
  if (!user) throw notFound('user', email)
  return user
}

const targetOf = ({ id, email }: NewUser) => ({ kind: 'user', id, name: email })

/** Lets an owner sign in with a password where only single sign-on is allowed, or no longer. */
export async function setBreakGlass({ users, audit }: Repair, email: string, on: boolean): Promise<void> {
  const user = await userOf(users, email)
  await audit.together(async () => {
    if (!(await users.setBreakGlass(user.id, on)))
      throw new OperationError(
        CODE.conflict,
        `${user.email} is no owner with a password. Give the role first, and a password with "millrace users reset-password".`,
      )
    await audit.record(COMMAND_LINE, 'user.break_glass', targetOf(user), { on })
  })
}

/** Removes the second factor of a user, and ends the sessions. */
export async function resetSecondFactor(
  { users, audit, secondFactors, sessions }: Repair & { secondFactors: SecondFactorStore; sessions: SessionStore },
  email: string,
): Promise<void> {
  const user = await userOf(users, email)
  await audit.together(async () => {
    if (!(await secondFactors.remove(user.id)))
      throw new OperationError(CODE.conflict, `${user.email} has no second factor.`)
    await sessions.endAllOf(user.id, null)
    await audit.record(COMMAND_LINE, 'user.second_factor_reset', targetOf(user))
  })
}
