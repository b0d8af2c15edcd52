// What became of each step, by id: the test run where there is one, else its own last test.
import { useMemo } from 'react'
import { type Outcome, outcomeOfOutput, outcomeOfTest, outcomesOfRun } from '../../flow-model/outcomes.ts'
import { useEditor } from './editor-context.tsx'

export function useOutcomes(): ReadonlyMap<string, Outcome> {
  const { tests } = useEditor()
  const { outputs, run, steps } = tests
  return useMemo(() => {
    const outcomes = new Map<string, Outcome>()
    if (!run) for (const [id, output] of Object.entries(outputs)) outcomes.set(id, outcomeOfOutput(output))
    if (run) for (const [id, outcome] of outcomesOfRun(run)) outcomes.set(id, outcome)
    for (const [id, state] of steps) {
      if (state.status === 'running') outcomes.set(id, { status: 'running', text: '' })
      if (state.status === 'done') outcomes.set(id, outcomeOfTest(state.result))
    }
    return outcomes
  }, [outputs, run, steps])
}
