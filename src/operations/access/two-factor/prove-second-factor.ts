// Checks the second factor of a user: a code of the app, which is taken once, or a recovery code.
import type { SecondFactor } from '../../ports/sign-in/second-factors.ts'
import type { AccessServices } from '../services.ts'
import { plainCode, recoveryDigest } from './recovery-codes.ts'

export type Proof = 'code' | 'recovery code'

/** Returns null if the code is wrong or was used before. */
export async function proveSecondFactor(
  services: AccessServices,
  userId: string,
  { secret }: SecondFactor,
  given: string,
): Promise<Proof | null> {
  const { codes, store } = services.access.twoFactor
  const code = plainCode(given)
  if (/^\d{6}$/.test(code)) {
    const step = codes.stepOf(secret, code, services.now())
    return step !== null && (await store.useStep(userId, step)) ? 'code' : null
  }
  return (await store.useRecoveryCode(userId, recoveryDigest(userId, code))) ? 'recovery code' : null
}
