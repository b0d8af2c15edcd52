// Test Step and Test flow: the draft is saved first, since the service tests what it has.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { api } from '../../api/api-client.ts'
import type { Run, RunStep, Sample, StepTest } from '../../api/api-types.ts'
import { keys, queries } from '../../api/queries.ts'
import { useEvents } from '../../api/use-events.ts'
import type { FlowEditor } from '../../flow-model/flow-editor.ts'
import { outputsOfRun, varsOfRun } from '../../flow-model/outcomes.ts'
import type { TestState, Tests } from './editor-context.tsx'

const ENDED = ['succeeded', 'failed', 'cancelled']

class NotSaved extends Error {
  constructor() {
    super('The draft could not be saved, so there is nothing to test. Look at the top of the page.')
  }
}

export function useTests(flowId: string, editor: FlowEditor, sample: Sample | null): Tests {
  const queryClient = useQueryClient()
  const kept = useQuery(queries.testResults(flowId)).data?.steps
  const [steps, setSteps] = useState<ReadonlyMap<string, TestState>>(new Map())
  const [run, setRun] = useState<Run | null>(null)
  const [starting, setStarting] = useState(false)
  const [refusal, setRefusal] = useState<unknown>(null)
  const outputs = useMemo(() => ({ ...kept, ...outputsOfRun(run) }), [kept, run])
  const isOver = run !== null && ENDED.includes(run.status)

  useEvents(run && !isOver ? `/runs/${run.id}/events` : null, ({ type, data }) => {
    setRun(
      (current) =>
        current && (type === 'step' ? withStep(current, data as RunStep) : { ...current, ...(data as Partial<Run>) }),
    )
  })

  // The latest sample, which the service takes by itself, may be too large to have come here whole.
  const given = useCallback(() => (sample && !sample.webhook.bodyOmitted ? { webhook: sample.webhook } : {}), [sample])

  const testStep = useCallback(
    async (id: string) => {
      const set = (state: TestState) => setSteps((all) => new Map(all).set(id, state))
      set({ status: 'running' })
      try {
        if (!(await editor.flush())) throw new NotSaved()
        const body = { ...given(), ...(run ? { steps: outputsOfRun(run), vars: varsOfRun(run) } : {}) }
        const result = await api.post<StepTest>(`/flows/${flowId}/steps/${encodeURIComponent(id)}/test`, body)
        set({ status: 'done', result })
        setRun((current) => current && { ...current, steps: current.steps.filter((step) => step.id !== id) })
        await queryClient.invalidateQueries({ queryKey: keys.testResults(flowId) })
      } catch (error) {
        set({ status: 'refused', error })
      }
    },
    [editor, flowId, given, queryClient, run],
  )

  const testFlow = useCallback(async () => {
    setStarting(true)
    setRefusal(null)
    try {
      if (!(await editor.flush())) throw new NotSaved()
      setSteps(new Map())
      setRun(await api.post<Run>(`/flows/${flowId}/test`, given()))
    } catch (error) {
      setRefusal(error)
    } finally {
      setStarting(false)
    }
  }, [editor, flowId, given])

  const forgetRun = useCallback(() => {
    setRun(null)
    setRefusal(null)
  }, [])

  return useMemo(
    () => ({ steps, testStep, run, starting, refusal, testFlow, forgetRun, outputs }),
    [steps, testStep, run, starting, refusal, testFlow, forgetRun, outputs],
  )
}

function withStep(run: Run, step: RunStep): Run {
  const at = run.steps.findIndex(({ path }) => path === step.path)
  return { ...run, steps: at === -1 ? [...run.steps, step] : run.steps.with(at, step) }
}
