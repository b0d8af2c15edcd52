// Test Step and Test flow: the draft is saved first, since the service tests what it has.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { api } from '../../api/api-client.ts'
import type { Run, RunStep, Sample, StepTest, TestResults } from '../../api/api-types.ts'
import { keys, queries } from '../../api/queries.ts'
import { useEvents } from '../../api/use-events.ts'
import type { FlowEditor } from '../../flow-model/flow-editor.ts'
import { allSteps, type EditedFlow, findStep, isInside } from '../../flow-model/flow-tree.ts'
import { outputsOfRun, varsOfRun } from '../../flow-model/outcomes.ts'
import { triggerKind } from '../../step-kinds/trigger-kinds.ts'
import { notifyFailure } from '../../ui/notify.tsx'
import type { TestState, Tests } from './editor-context.tsx'
import { type Renaming, useTestedSteps } from './use-tested-steps.ts'

const ENDED = ['succeeded', 'failed', 'cancelled']
const NONE: readonly string[] = []

class NotSaved extends Error {
  constructor() {
    super('The draft could not be saved, so there is nothing to test. Look at the top of the page.')
  }
}

/** `input`: what tests of a called flow begin with. */
export function useTests(
  flowId: string,
  editor: FlowEditor,
  document: EditedFlow,
  sample: Sample | null,
  input: unknown,
): Tests {
  const queryClient = useQueryClient()
  const { steps: kept, pinned: pinnedIds = NONE } = useQuery(queries.testResults(flowId)).data ?? {}
  const [steps, setSteps] = useState<ReadonlyMap<string, TestState>>(new Map())
  const [run, setRun] = useState<Run | null>(null)
  const [at, setAt] = useState<string | null>(null)
  const [starting, setStarting] = useState(false)
  const [refusal, setRefusal] = useState<unknown>(null)
  const pinned = useMemo(() => new Set(pinnedIds), [pinnedIds])
  // A pin may be younger than the run.
  const ofRun = useMemo(() => without(outputsOfRun(run), pinned), [run, pinned])
  const outputs = useMemo(() => ({ ...kept, ...ofRun }), [kept, ofRun])
  const isOver = run !== null && ENDED.includes(run.status)

  const follow = useCallback(
    (renamings: Renaming[]) => {
      const names = new Map(renamings.map(({ from, to }) => [from, to]))
      const named = (id: string) => names.get(id) ?? id
      setSteps((all) => new Map([...all].map(([id, state]) => [named(id), state])))
      setRun((now) => now && { ...now, steps: now.steps.map((step) => ({ ...step, id: named(step.id) })) })
      // The service does the same when the draft is saved.
      queryClient.setQueryData<TestResults>(keys.testResults(flowId), (results) => results && renamed(results, named))
    },
    [flowId, queryClient],
  )
  const { old, tested } = useTestedSteps(document, follow)

  useEvents(run && !isOver ? `/runs/${run.id}/events` : null, ({ type, data }) => {
    setRun(
      (current) =>
        current && (type === 'step' ? withStep(current, data as RunStep) : { ...current, ...(data as Partial<Run>) }),
    )
  })

  // The latest sample, which the service takes by itself, may be too large to have come here whole.
  const { root, isCalled } = triggerKind(document.trigger) ?? {}
  const given = useCallback(() => {
    if (isCalled) return { input }
    if (root === 'schedule') return at === null ? {} : { schedule: { at } }
    return sample && !sample.webhook.bodyOmitted ? { webhook: sample.webhook } : {}
  }, [sample, root, isCalled, at, input])
  const refetch = useCallback(
    () => queryClient.invalidateQueries({ queryKey: keys.testResults(flowId) }),
    [flowId, queryClient],
  )

  const testStep = useCallback(
    async (id: string, rounds?: number) => {
      const set = (state: TestState) => setSteps((all) => new Map(all).set(id, state))
      set({ status: 'running' })
      try {
        if (!(await editor.flush())) throw new NotSaved()
        const ran = idsFrom(editor.state.document, id)
        const earlier = run ? { steps: ofRun, vars: varsOfRun(run) } : {}
        const body = { ...given(), ...earlier, ...(rounds === undefined ? {} : { rounds }) }
        const result = await api.post<StepTest>(`/flows/${flowId}/steps/${encodeURIComponent(id)}/test`, body)
        set({ status: 'done', result })
        tested(ran)
        setRun((current) => current && { ...current, steps: current.steps.filter((step) => !ran.includes(step.id)) })
        await refetch()
      } catch (error) {
        set({ status: 'refused', error })
      }
    },
    [editor, flowId, given, ofRun, refetch, run, tested],
  )

  const testFlow = useCallback(async () => {
    setStarting(true)
    setRefusal(null)
    try {
      if (!(await editor.flush())) throw new NotSaved()
      setSteps(new Map())
      setRun(await api.post<Run>(`/flows/${flowId}/test`, given()))
      tested(null)
    } catch (error) {
      setRefusal(error)
    } finally {
      setStarting(false)
    }
  }, [editor, flowId, given, tested])

  const forgetRun = useCallback(() => {
    setRun(null)
    setRefusal(null)
  }, [])

  const pin = useCallback(
    async (id: string, output: unknown) => {
      try {
        if (!(await editor.flush())) throw new NotSaved()
        await api.put(`/flows/${flowId}/steps/${encodeURIComponent(id)}/pin`, { output })
        setSteps((all) => new Map([...all].filter(([other]) => other !== id)))
        await refetch()
      } catch (error) {
        notifyFailure('The result could not be pinned', error)
      }
    },
    [editor, flowId, refetch],
  )
  const unpin = useCallback(
    async (id: string) => {
      try {
        await api.delete(`/flows/${flowId}/steps/${encodeURIComponent(id)}/pin`)
        await refetch()
      } catch (error) {
        notifyFailure('The result could not be unpinned', error)
      }
    },
    [flowId, refetch],
  )

  return useMemo(
    () => ({
      steps,
      testStep,
      run,
      at,
      setAt,
      starting,
      refusal,
      testFlow,
      forgetRun,
      outputs,
      old,
      pinned,
      pin,
      unpin,
    }),
    [steps, testStep, run, at, starting, refusal, testFlow, forgetRun, outputs, old, pinned, pin, unpin],
  )
}

function withStep(run: Run, step: RunStep): Run {
  const at = run.steps.findIndex(({ path }) => path === step.path)
  return { ...run, steps: at === -1 ? [...run.steps, step] : run.steps.with(at, step) }
}

/** The step and, since they run with it, those inside it. */
function idsFrom(document: EditedFlow, id: string): string[] {
  const place = findStep(document, id)
  if (!place) return [id]
  return allSteps(document)
    .filter(({ path }) => isInside(path, place.path))
    .map(({ step }) => step.id)
}

function without(outputs: Record<string, unknown>, ids: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(outputs).filter(([id]) => !ids.has(id)))
}

const renamed = ({ steps, pinned }: TestResults, named: (id: string) => string): TestResults => ({
  steps: Object.fromEntries(Object.entries(steps).map(([id, output]) => [named(id), output])),
  pinned: pinned.map(named),
})
