// Checks the signature of a body that streams in, so that it need not be in memory as a whole.
import { CODE } from '../../../base/error-catalogue.ts'
import type { CompiledAuth } from '../../../flow/triggers/webhook/compile-auth.ts'
import { headOnly } from '../auth-bindings.ts'
import { type Authenticated, readsContent, resolved } from '../credentials.ts'
import { Rejection } from '../rejection.ts'
import type { DeliveryServices } from '../services.ts'
import { Refusal } from '../signature/refusal.ts'
import { beginCustom, isStreamable } from '../signature/verify-custom.ts'
import { type BodyCheck, beginSignature } from '../signature/verify-signature.ts'

const partsOf = (auth: CompiledAuth): readonly CompiledAuth[] => (auth.kind === 'all' ? auth.of : [auth])

const isSigned = ({ kind }: CompiledAuth): boolean => kind === 'signature' || kind === 'custom' || kind === 'body'

/** Returns whether the sender proves itself with the body. */
export const signsBody = (auth: CompiledAuth): boolean => partsOf(auth).some(isSigned)

/** Returns the checks to feed with the body; null if they need the body as a whole. Throws Rejection if the head does not fit. */
export function streamedChecks(services: DeliveryServices, admission: Authenticated): BodyCheck[] | null {
  const { head, trigger } = admission
  if (readsContent(trigger.auth)) return null
  const request = { rawHeaders: head.rawHeaders, nowMs: services.now() }
  const checks: BodyCheck[] = []
  for (const auth of partsOf(trigger.auth).filter(isSigned)) {
    if (auth.kind === 'custom' && !isStreamable(auth)) return null
    checks.push(
      refusing(() =>
        resolved(
          services,
          admission,
          (bindings) => {
            if (auth.kind === 'custom') return beginCustom(auth, bindings, request)
            const { scheme, secrets, header, toleranceSeconds } = auth as Extract<CompiledAuth, { kind: 'signature' }>
            const settings = { secrets: secrets(bindings), header: header(bindings), toleranceSeconds }
            return beginSignature(scheme, settings, request)
          },
          headOnly(head),
        ),
      ),
    )
  }
  return checks
}

/** Throws Rejection if one of the signatures does not fit what came. */
export function endChecks(checks: readonly BodyCheck[]): void {
  for (const check of checks) refusing(() => check.end())
}

function refusing<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Rejection(CODE.unauthorized, `Authentication failed: ${error.message}.`)
  }
}
