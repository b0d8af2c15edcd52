// The page of a flow: the canvas or its YAML on the left, what is selected on the right.
import { Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useBlocker } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { shapesOf } from '../../../src/flow/shape/data-shapes.ts'
import { ApiError, api } from '../api/api-client.ts'
import type { Flow } from '../api/api-types.ts'
import { keys, queries } from '../api/queries.ts'
import { useMay, useUser } from '../api/session.ts'
import { useEvents } from '../api/use-events.ts'
import { isFor } from '../connections/connection-draft.ts'
import { FieldContext, type FieldSurroundings } from '../fields/field-context.tsx'
import { FlowEditor } from '../flow-model/flow-editor.ts'
import { findStep, type Position, valueAt, withValue } from '../flow-model/flow-tree.ts'
import type { SampleData } from '../flow-model/templates/sample-data.ts'
import { FlowTabs } from '../flows/flow-tabs.tsx'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Canvas } from './canvas/canvas.tsx'
import { ConflictBar } from './conflict-bar.tsx'
import classes from './editor.module.css'
import { EditorHeader } from './editor-header.tsx'
import { MarkedBar } from './marked-bar.tsx'
import { SidePanel } from './panel/side-panel.tsx'
import { PublishPanel } from './publish/publish-panel.tsx'
import { RunBar } from './run-bar.tsx'
import { SaveWatch } from './save-watch.tsx'
import { useSenderSamples } from './sender/use-sender-samples.ts'
import { EditorContext, type EditorValue, type Notice, type UnreadText, useEditor } from './state/editor-context.tsx'
import type { EditorSearch } from './state/selection.ts'
import { useLargeBody, withBody } from './state/use-large-body.ts'
import { useTestInput } from './state/use-test-input.ts'
import { useTests } from './state/use-tests.ts'
import { useValidation } from './state/use-validation.ts'
import { FailurePanel } from './step/failure-panel.tsx'
import { StepPanel } from './step/step-panel.tsx'
import { TriggerPanel } from './trigger/trigger-panel.tsx'
import { UndoNotice } from './undo-notice.tsx'
import { useEditorCommands } from './use-editor-commands.ts'
import { useEditorKeys } from './use-editor-keys.ts'
import { YamlView } from './yaml-view.tsx'

const route = getRouteApi('/signed-in/flows/$id')

export function EditorPage() {
  const { id } = route.useParams()
  const flow = useQuery(queries.flow(id))
  const kinds = useQuery(queries.stepKinds)
  const error = flow.data ? kinds.error : (flow.error ?? kinds.error)
  if (error)
    return (
      <>
        <PageHeader crumbs={[{ label: 'Flows', to: '/flows' }]} title="Flow" />
        <PageBody narrow>
          <ErrorNote
            title="The flow could not be loaded"
            error={error}
            onRetry={() => void Promise.all([flow.refetch(), kinds.refetch()])}
          />
        </PageBody>
      </>
    )
  if (!flow.data || !kinds.data) return <Skeleton m={24} height={320} />
  return <Editor key={id} flow={flow.data} kinds={kinds.data.items} />
}

function useFlowEditor(flow: Flow): FlowEditor {
  const queryClient = useQueryClient()
  const [editor] = useState(() => {
    const path = `/flows/${flow.id}`
    const remember = (saved: Flow) => {
      queryClient.setQueryData(keys.flow(flow.id), saved)
      return saved
    }
    return new FlowEditor(flow, {
      save: async (document, revision) =>
        remember(await api.put<Flow>(path, document, { headers: { 'if-match': String(revision) } })),
      isConflict: (error) => error instanceof ApiError && error.status === 412,
      mayPass: (error) => error instanceof ApiError && error.status >= 500,
      load: async () => remember(await api.get<Flow>(path)),
      delay: (callback, ms) => {
        const timer = setTimeout(callback, ms)
        return () => clearTimeout(timer)
      },
      now: () => Date.now(),
    })
  })
  useEffect(() => {
    const refresh = () => {
      if (!document.hidden) editor.refresh().catch(() => {})
    }
    window.addEventListener('focus', refresh)
    document.addEventListener('visibilitychange', refresh)
    return () => {
      window.removeEventListener('focus', refresh)
      document.removeEventListener('visibilitychange', refresh)
    }
  }, [editor])
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (current.pathname === next.pathname) return false
      if (await editor.flush()) return false
      return !window.confirm('The last changes are not saved. Leave, and lose them?')
    },
    enableBeforeUnload: () => editor.state.saving.status !== 'saved',
  })
  return editor
}

function useSamples(flowId: string) {
  const queryClient = useQueryClient()
  const samples = useQuery(queries.samples(flowId)).data?.items
  const [chosen, setChosen] = useState<string | null>(null)
  const refetch = () => void queryClient.invalidateQueries({ queryKey: keys.samples(flowId) })
  useEvents(
    `/flows/${flowId}/events`,
    ({ type }) => {
      if (type !== 'sample') return
      setChosen(null)
      // Not put into the list here: a list that was asked for before could come in after it.
      refetch()
    },
    refetch,
    // What came between the first look and the stream is not in either.
    refetch,
  )
  const sample = samples?.find(({ id }) => id === chosen) ?? samples?.[0] ?? null
  return { samples: samples ?? NONE, sample, chooseSample: setChosen }
}

const NONE: never[] = []
const NO_VARIABLES = {}
const NOTHING: ReadonlySet<string> = new Set()

function Editor({ flow, kinds }: { flow: Flow; kinds: EditorValue['kinds'] }) {
  const navigate = route.useNavigate()
  const search = route.useSearch()
  // Without a session the page stays as it is, under the dialog that asks for one.
  const mayWrite = useMay('flows:write')
  const readOnly = useUser() !== null && !mayWrite
  const editor = useFlowEditor(flow)
  const state = useSyncExternalStore(editor.subscribe, editor.getState)
  const { document: flowDocument } = state
  const { samples, sample, chooseSample } = useSamples(flow.id)
  const largeBody = useLargeBody(flow.id, sample)
  const testInput = useTestInput(flow.id, flowDocument)
  const tests = useTests(flow.id, editor, flowDocument, sample, testInput.value)
  const shapes = useMemo(
    () =>
      shapesOf(
        samples.map(({ webhook }) => webhook),
        tests.outputs,
      ),
    [samples, tests.outputs],
  )
  const issues = useValidation(flow.id, flowDocument, shapes)
  const [adding, setAdding] = useState<Position | null>(null)
  const [marked, setMarked] = useState<ReadonlySet<string>>(NOTHING)
  const [notice, setNotice] = useState<Notice | null>(null)
  const [typed, setUnread] = useState<UnreadText | null>(null)
  // An edit elsewhere takes its place.
  const unread = typed?.instead === flowDocument ? typed : null
  const known = useQuery({ ...queries.connections, retry: false }).data ?? NONE
  // Those that this flow may use.
  const { tags = NONE } = flowDocument
  const connections = useMemo(() => known.filter((one) => isFor(one, flow.id, tags)), [known, flow.id, tags])
  const { env = NONE, config = NO_VARIABLES } = useQuery(queries.settings).data ?? {}
  const [now] = useState(() => new Date().toISOString())
  const offered = useSenderSamples(flowDocument, samples.length === 0, now)
  const selected = search.step === undefined ? null : (findStep(flowDocument, search.step) ?? null)

  const open = useCallback(
    (what: EditorSearch, options?: { replace?: boolean }) =>
      void navigate({ search: what, replace: options?.replace ?? false }),
    [navigate],
  )
  // A new flow begins with its trigger.
  const isNew = flowDocument.steps.length === 0 && !search.trigger && !search.failure && !search.publish && !search.step
  const [startsEmpty] = useState(isNew)
  useEffect(() => {
    if (startsEmpty) open({ trigger: true }, { replace: true })
  }, [startsEmpty, open])
  const value = useMemo<EditorValue>(
    () => ({
      flow,
      editor,
      document: flowDocument,
      readOnly,
      kinds,
      issues,
      search,
      selected,
      marked,
      setMarked,
      open,
      adding,
      setAdding,
      notice,
      setNotice,
      unread,
      setUnread,
      samples,
      sample,
      largeBody,
      chooseSample,
      testInput,
      tests,
    }),
    [
      flow,
      editor,
      flowDocument,
      readOnly,
      kinds,
      issues,
      search,
      selected,
      marked,
      open,
      adding,
      notice,
      unread,
      samples,
      sample,
      largeBody,
      chooseSample,
      testInput,
      tests,
    ],
  )
  const data = useMemo<SampleData>(
    () => ({
      webhook: withBody(sample, largeBody) ?? offered[0],
      schedule: { at: tests.at ?? now, missed: 0, input: flowDocument.trigger['input'] ?? null },
      input: testInput.value,
      steps: tests.outputs,
      // What may come is offered, but a reference to something else is no mistake yet.
      shapes: offered.length ? shapesOf(offered, tests.outputs) : shapes,
      env,
      config,
      connections: connections.map(({ name, kind, fields, secretFields }) => ({
        name,
        fields:
          kind === 'oauth2' || kind === 'jwt'
            ? ['accessToken']
            : [...new Set([...Object.keys(fields), ...secretFields])],
      })),
      flow: { id: flow.id, name: flowDocument.name, version: flow.published?.version ?? null },
      now,
    }),
    [
      sample,
      offered,
      largeBody,
      testInput.value,
      tests.outputs,
      tests.at,
      shapes,
      env,
      config,
      connections,
      flow.id,
      flowDocument,
      flow.published,
      now,
    ],
  )
  const fields = useMemo<FieldSurroundings>(
    () => ({
      document: flowDocument,
      data,
      connections,
      readOnly,
      issues,
      edit: (path, changed) => {
        const present = editor.state.document
        if (readOnly || valueAt(present, path) === changed) return
        editor.edit(withValue(present, path, changed), { label: `Change ${path.split('/').at(-1)}`, merge: path })
      },
    }),
    [flowDocument, data, connections, readOnly, issues, editor],
  )
  return (
    <EditorContext.Provider value={value}>
      <FieldContext.Provider value={fields}>
        <EditorHeader state={state} />
        <FlowTabs id={flow.id} />
        <KeepUnread />
        {state.saving.status === 'conflict' && <ConflictBar conflict={state.saving} />}
        <SaveWatch editor={editor} state={state} />
        <RunBar />
        <Work />
      </FieldContext.Provider>
    </EditorContext.Provider>
  )
}

/** Text that does not read as a flow is saved nowhere: leaving loses it. */
function KeepUnread() {
  const { unread } = useEditor()
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname &&
      !window.confirm(`The YAML has a fault in line ${unread!.line} and is not saved. Leave, and lose what you typed?`),
    enableBeforeUnload: true,
    disabled: unread === null,
  })
  return null
}

function Work() {
  const { search, selected } = useEditor()
  const frame = useRef<HTMLDivElement>(null)
  useEditorCommands()
  useEditorKeys(() => {
    const fields = frame.current?.querySelector('[data-panel-body]')
    const first =
      fields?.querySelector<HTMLElement>('.cm-content') ?? fields?.querySelector<HTMLElement>('input, button')
    first?.focus()
  })
  return (
    <div ref={frame} className={classes.body}>
      <div className={classes.main}>
        {search.view === 'yaml' ? <YamlView /> : <Canvas />}
        {search.view !== 'yaml' && <MarkedBar />}
        <UndoNotice />
      </div>
      <OpenPanel key={selected ? selected.step.id : 'none'} />
    </div>
  )
}

function OpenPanel() {
  const { search, selected } = useEditor()
  if (search.publish)
    return (
      <SidePanel label="Publish">
        <PublishPanel />
      </SidePanel>
    )
  if (selected)
    return (
      <SidePanel label={`Step ${selected.step.id}`}>
        <StepPanel place={selected} />
      </SidePanel>
    )
  if (search.failure)
    return (
      <SidePanel label="When a run fails">
        <FailurePanel />
      </SidePanel>
    )
  if (search.trigger)
    return (
      <SidePanel label="Trigger">
        <TriggerPanel />
      </SidePanel>
    )
  return null
}
