// Decides whose flows may use connections.
import { CODE } from '../../base/error-catalogue.ts'
import { connectionUses } from '../../flow/validate/validate.ts'
import { OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { ConnectionServices } from './services.ts'

/** Rejects if the document names a connection and the actor may not use any: its requests would be sent with that credential. */
export function requireUse({ kinds }: Pick<ConnectionServices, 'kinds'>, { scopes }: Actor, document: unknown): void {
  if (scopes.includes('connections:use')) return
  const use = connectionUses(document, kinds)[0]
  if (use)
    throw new OperationError(
      CODE.forbidden,
      `The flow names the connection "${use.name}": to save, test or publish it you need the scope connections:use.`,
    )
}
