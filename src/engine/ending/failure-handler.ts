// What is done when a run has failed: a failure handler, which is a run of its own that the failed run shows as a part of it.
import type { CompiledStep } from '../../flow/compile.ts'
import { type CompiledFlow, HANDED } from '../../flow/compile-flow.ts'
import { exposeOutput } from '../journal-entries.ts'
import type { EnginePorts } from '../ports/engine-ports.ts'
import {
  type ClaimedRun,
  FAILURE,
  handlerIdOf,
  isHandler,
  type NewRun,
  ON_FAILURE,
  type RunError,
} from '../ports/run-journal.ts'
import { type Roots, rootsOf } from '../run-bindings.ts'
import type { StepKind } from '../step-kind.ts'

/** Returns the handler that is stored with the end of a failed run; null if there is nothing to do. */
export function handlerOf(
  run: ClaimedRun,
  flow: Pick<CompiledFlow<StepKind>, 'onFailure'> | null,
  error: RunError,
  { failureFlow, now }: Pick<EnginePorts, 'failureFlow' | 'now'>,
): NewRun | null {
  // A handler is never handled itself, and neither are the runs that it calls.
  if (run.test || isHandler(run) || run.trigger.forFailure) return null
  const fallback = flow?.onFailure ? null : failureFlow(run.flowId)
  if (!flow?.onFailure && fallback === null) return null
  const at = now()
  const failed = { run: run.id, step: error.step ?? null, version: run.version, at: new Date(at).toISOString() }
  return {
    id: handlerIdOf(run.id),
    flowId: run.flowId,
    version: run.version,
    document: run.document,
    test: false,
    trigger: { kind: FAILURE, forFailure: true, ...(fallback !== null && { flow: fallback }) },
    webhook: null,
    given: { error, failed },
    parent: { run: run.id, step: ON_FAILURE, waits: false },
    hops: run.hops,
    replyStatus: null,
    createdAt: at,
    replayOf: null,
  }
}

/** Returns a handler as a flow to walk: nobody waits for its reply. */
export const handlingFlow = (
  flow: CompiledFlow<StepKind>,
  steps: readonly CompiledStep<StepKind>[],
): CompiledFlow<StepKind> => ({
  ...flow,
  trigger: { ...flow.trigger, finalReply: null, keepsReply: false },
  steps,
})

/** Returns what the steps of a handler read: everything that the failed run had, and why it failed. */
export function handlerRoots(
  run: ClaimedRun,
  failed: ClaimedRun,
  flow: CompiledFlow<StepKind>,
  ports: EnginePorts,
): Roots {
  Object.assign(failed.vars, run.vars)
  const roots = rootsOf(failed, flow.name, ports)
  for (const entry of failed.journal) if (entry.finishedAt !== null) exposeOutput(entry, roots)
  const { webhook, given } = failed
  const start = webhook ? { webhook } : given
  const { error, failed: facts } = run.given as { error: RunError; failed: { run: string } }
  const handed = {
    error,
    run: facts.run,
    flow: { id: run.flowId, name: flow.name, slug: flow.slug },
    ...start,
  }
  // The other flow does not know the secrets of this one, and would show them.
  return Object.assign(roots, { error, failed: facts, [HANDED]: ports.redact(handed, run.flowId) })
}
