// Seals secrets typed into a flow when its draft is saved, and unseals them when it is compiled.
import { CODE, filled, STEP_ERRORS } from '../../base/error-catalogue.ts'
import { SEALED_PREFIX } from '../../base/sealed-prefix.ts'
import { FlowUnusable } from '../../engine/engine.ts'
import type { Kinds } from '../../flow/document.ts'
import type { Issue } from '../../flow/issue.ts'
import { mapSecrets } from '../../flow/secret-literals.ts'
import { FlowInvalid } from '../operation-error.ts'
import type { Secrets } from '../ports/secrets.ts'

/** The services that seal and find a flow's secrets. */
interface Keeper {
  secrets: Secrets
  kinds: Kinds
}

/** Seals literals. Sealed ones stay as they are, so that a draft that is sent back unchanged stays unchanged. */
export function sealLiterals<T>({ secrets, kinds }: Keeper, flowId: string, document: T): T {
  requireOwnSecrets({ secrets, kinds }, flowId, document)
  return mapSecrets(document, kinds, (literal) =>
    literal.startsWith(SEALED_PREFIX) ? literal : secrets.seal(literal, flowId),
  )
}

/** Throws if the document holds sealed values that this flow cannot open. */
export function requireOwnSecrets({ secrets, kinds }: Keeper, flowId: string, document: unknown): void {
  const issues: Issue[] = []
  mapSecrets(document, kinds, (literal, path) => {
    if (literal.startsWith(SEALED_PREFIX) && secrets.unseal(literal, flowId) === null)
      issues.push({
        path,
        code: 'foreign_secret',
        message: 'This is a sealed value pasted from another flow, or its key is gone: type the secret again.',
      })
    return literal
  })
  if (issues.length) throw new FlowInvalid(issues)
}

/** Unseals literals for compiling only: the result must not be stored or shown. */
export function openLiterals<T>({ secrets, kinds }: Keeper, flowId: string, document: T): T {
  return mapSecrets(document, kinds, (literal, path) => {
    if (!literal.startsWith(SEALED_PREFIX)) return literal
    const opened = secrets.unseal(literal, flowId)
    if (opened === null)
      throw new FlowUnusable(CODE.secret_unreadable, filled(STEP_ERRORS.secret_unreadable.message, { path }))
    return opened
  })
}
