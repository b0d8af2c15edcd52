// What became of each step, by id: the test run where there is one, else its own last test.
import { useMemo } from 'react'
import type { StepTest } from '../../api/api-types.ts'
import { allSteps } from '../../flow-model/flow-tree.ts'
import { isObject } from '../../flow-model/is-object.ts'
import { isTroubled, type Outcome } from '../../flow-model/outcomes.ts'
import { onceOnCard, outcomeOnCard, resultOf, stepOutcomes } from '../../runs/model/step-outcomes.ts'
import { useEditor } from './editor-context.tsx'

export function useOutcomes(): ReadonlyMap<string, Outcome> {
  const { tests, document } = useEditor()
  const { outputs, run, steps, old, pinned } = tests
  // The kinds alone: a letter typed into a setting must not make every outcome anew.
  const kindList = JSON.stringify(allSteps(document).map(({ step }) => [step.id, step.kind]))
  return useMemo(() => {
    const kinds = new Map(JSON.parse(kindList) as [id: string, kind: string][])
    const outcomes = new Map<string, Outcome>()
    if (run) for (const [id, outcome] of stepOutcomes(run.steps)) outcomes.set(id, outcomeOnCard(outcome))
    else
      for (const [id, kind] of kinds)
        if (Object.hasOwn(outputs, id)) outcomes.set(id, outcomeOfOutput(kind, outputs[id]))
    for (const [id, state] of steps) {
      if (state.status === 'running') outcomes.set(id, { status: 'running', text: '' })
      if (state.status === 'done') outcomes.set(id, outcomeOfTest(kinds.get(id) ?? '', state.result))
    }
    for (const id of old) if (outcomes.has(id)) outcomes.set(id, { ...outcomes.get(id)!, note: 'old' })
    for (const id of pinned) outcomes.set(id, { status: 'succeeded', text: 'pinned', note: 'pinned' })
    return outcomes
  }, [outputs, run, steps, old, pinned, kindList])
}

export function outcomeOfTest(kind: string, { status, output, error, durationMs }: StepTest): Outcome {
  const troubled = status === 'succeeded' && isTroubled(kind, output)
  return onceOnCard({ status, result: resultOf(kind, output, error), durationMs, troubled })
}

/** What a result that was kept says of itself. */
function outcomeOfOutput(kind: string, output: unknown): Outcome {
  const kept = isObject(output) ? output['error'] : null
  const error = isObject(kept) && typeof kept['code'] === 'string' ? { code: kept['code'] } : null
  const status = error ? 'failed' : 'succeeded'
  const troubled = !error && isTroubled(kind, output)
  return onceOnCard({ status, result: resultOf(kind, output, error), durationMs: null, troubled })
}
