import { CODE } from '../../base/error-catalogue.ts'
import { OperationError } from '../operation-error.ts'
import type { Passwords } from '../ports/access.ts'

const TOO_COMMON = 'This is one of the ten thousand most common passwords; choose another.'

/** Returns the hash of a password that somebody has chosen. Rejects one that everybody would guess first. */
export async function hashNewPassword(passwords: Passwords, password: string): Promise<string> {
  if (passwords.isCommon(password)) throw new OperationError(CODE.common_password, TOO_COMMON)
  return passwords.hash(password)
}
