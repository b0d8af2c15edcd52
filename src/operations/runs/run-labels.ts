// Evaluates the labels of a run that no delivery starts, before it is stored.
import type { NewRun } from '../../engine/ports/run-journal.ts'
import { createRoots, stepBindings } from '../../engine/run-bindings.ts'
import { evaluateLabels, type Labels } from '../../flow/triggers/labels.ts'
import type { CompiledCommon } from '../../flow/triggers/trigger-kind.ts'
import type { Basics } from '../ports/basics.ts'
import type { Secrets } from '../ports/secrets.ts'

const NOTHING = Object.freeze(Object.create(null))

/** Returns labels without the known secrets that they may hold: labels are shown and searched. */
export function labelsOf(
  { hashing, secrets, config }: Pick<Basics, 'hashing' | 'config'> & { secrets: Pick<Secrets, 'redact'> },
  flowName: string,
  { labels }: Pick<CompiledCommon, 'labels'>,
  run: Omit<NewRun, 'labels'>,
): Labels | null {
  if (!labels) return null
  const { id, flowId, version, createdAt, replayOf } = run
  const roots = createRoots(run, {
    run: { id, startedAt: new Date(createdAt).toISOString(), attempt: 1, replayOf },
    flow: { id: flowId, name: flowName, version },
    env: NOTHING,
    config,
    connections: NOTHING,
  })
  const bindings = stepBindings(roots, hashing, id, 'trigger', createdAt)
  return evaluateLabels(labels, bindings, (value) => secrets.redact(value, flowId))
}
