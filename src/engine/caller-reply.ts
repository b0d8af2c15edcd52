// What the webhook's caller is told: the configured reply, or the default of contract §4.
import { isReplyHeaderAllowed } from '../flow/check-trigger.ts'
import type { CompiledReply, CompiledTrigger } from '../flow/compile.ts'
import { ExpressionError, type Scope } from '../flow/expression/index.ts'
import type { Roots } from './run-scope.ts'
import type { RunError } from './run-store.ts'
import type { CallerReply } from './step-kind.ts'

const json = (status: number, body: unknown): CallerReply => ({ status, headers: [], body })

export const defaultReply = (id: string): CallerReply =>
  json(200, { status: 'success', message: 'Webhook received', id })

export const defaultErrorReply = (id: string, message: string): CallerReply =>
  json(500, { status: 'error', message, id })

export const stillRunningReply = (id: string): CallerReply =>
  json(202, { status: 'accepted', message: 'Still running', id })

/** Parts that are not configured come from the default; a template that fails does not fail the delivery: the default stands. */
export function callerReply(configured: CompiledReply, scope: Scope, fallback: CallerReply): CallerReply {
  try {
    const headers = (configured.headers?.(scope) ?? []) as CallerReply['headers']
    return {
      status: (configured.status?.(scope) as number | undefined) ?? fallback.status,
      headers: headers.filter(({ name, value }) => isReplyHeaderAllowed(name, value)),
      body: configured.body ? configured.body(scope) : fallback.body,
    }
  } catch (error) {
    if (error instanceof ExpressionError) return fallback
    throw error
  }
}

/** What the caller gets who waited for the run to end. */
export function finalReply(
  { reply, errorReply }: Pick<CompiledTrigger, 'reply' | 'errorReply'>,
  runId: string,
  roots: Roots,
  scopeOf: (roots: Roots) => Scope,
  error: RunError | null,
): CallerReply {
  if (!error) return callerReply(reply, scopeOf(roots), defaultReply(runId))
  const withError = Object.assign(Object.create(null), roots, { error })
  return callerReply(errorReply, scopeOf(withError), defaultErrorReply(runId, error.message))
}
