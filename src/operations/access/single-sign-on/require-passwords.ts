import { CODE } from '../../../base/error-catalogue.ts'
import { OperationError } from '../../operation-error.ts'
import type { AccessServices } from '../services.ts'

/** Rejects if passwords are for break-glass owners only. */
export function requirePasswords({ access }: AccessServices): void {
  if (access.sso.only)
    throw new OperationError(CODE.forbidden, 'People come in by single sign-on here, not with passwords.')
}
