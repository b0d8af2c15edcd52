// Test Step: runs the step once, and shows what came of it below the form.
import { Button, Tabs, Text } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import type { StepError, StepTest } from '../../api/api-types.ts'
import type { StepPlace } from '../../flow-model/flow-tree.ts'
import { outcomeOfTest } from '../../flow-model/outcomes.ts'
import { stepKind } from '../../step-kinds/index.ts'
import { DataTree } from '../../ui/data/data-tree.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { formatDuration } from '../../ui/format.ts'
import { StatusDot } from '../../ui/status.tsx'
import classes from '../panel/panel.module.css'
import { useEditor } from '../state/editor-context.tsx'

export function TestStep({ place }: { place: StepPlace }) {
  const { tests, readOnly } = useEditor()
  const { id } = place.step
  const state = tests.steps.get(id)
  const ran = tests.run?.steps.findLast((step) => step.id === id && step.kind !== 'round')
  const kept = Object.hasOwn(tests.outputs, id) ? tests.outputs[id] : undefined
  return (
    <div className={classes.foot}>
      <div className={classes.testing} role="status">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlayerPlay size={14} />}
          loading={state?.status === 'running'}
          disabled={readOnly || id === ''}
          onClick={() => void tests.testStep(id)}
        >
          Test step
        </Button>
        <TestSummary state={state} ran={ran} kept={kept} />
      </div>
      {state?.status === 'refused' && (
        <div className={classes.result}>
          <ErrorNote title="The step could not be tested" error={state.error} />
        </div>
      )}
      {state?.status === 'done' && <Result id={id} kind={place.step.kind} {...state.result} />}
      {!state && ran && ran.status !== 'running' && (
        <Result id={id} kind={place.step.kind} input={ran.input} output={ran.output} error={ran.error} />
      )}
      {!state && !ran && kept !== undefined && <Result id={id} kind={place.step.kind} output={kept} error={null} />}
    </div>
  )
}

interface SummaryProps {
  state: ReturnType<ReturnType<typeof useEditor>['tests']['steps']['get']>
  ran: { status: 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled' } | undefined
  kept: unknown
}

function TestSummary({ state, ran, kept }: SummaryProps) {
  if (state?.status === 'running') return <StatusDot status="running" />
  if (state?.status === 'done') {
    const outcome = outcomeOfTest(state.result)
    return (
      <>
        <StatusDot status={outcome.status} />
        <Text size="xs" c="dimmed">
          {outcome.text}
        </Text>
      </>
    )
  }
  if (state?.status === 'refused') return null
  if (ran)
    return (
      <>
        <StatusDot status={ran.status} />
        <Text size="xs" c="dimmed">
          in the test run
        </Text>
      </>
    )
  return (
    <Text size="xs" c="dimmed">
      {kept === undefined ? 'Runs this step once, with the current sample.' : 'From its last test'}
    </Text>
  )
}

type ResultProps = Pick<StepTest, 'output'> & {
  id: string
  kind: string
  error: StepError | null
  input?: unknown
  durationMs?: number
}

function Result({ id, kind, input, output, error, durationMs }: ResultProps) {
  const reply = stepKind(kind).sendsRequest && isReply(output) ? output : null
  return (
    <div className={classes.result}>
      {error && <Failure error={error} />}
      {(output !== null || !error) && (
        <Tabs defaultValue={reply ? 'body' : 'output'} variant="default" keepMounted={false}>
          <Tabs.List mb={8}>
            {reply && <Tabs.Tab value="body">Body</Tabs.Tab>}
            {reply && <Tabs.Tab value="headers">Headers ({Object.keys(reply.headers).length})</Tabs.Tab>}
            <Tabs.Tab value="output">{reply ? 'All' : 'Output'}</Tabs.Tab>
            {input !== undefined && input !== null && <Tabs.Tab value="input">Sent</Tabs.Tab>}
          </Tabs.List>
          {reply && (
            <Tabs.Panel value="body">
              <DataTree value={reply.body} path={`steps.${id}.body`} label="The reply's body" />
            </Tabs.Panel>
          )}
          {reply && (
            <Tabs.Panel value="headers">
              <DataTree
                value={reply.headers}
                path={`steps.${id}.headers`}
                label="The reply's headers"
                withRaw={false}
              />
            </Tabs.Panel>
          )}
          <Tabs.Panel value="output">
            {reply && (
              <dl className={classes.facts} style={{ marginBottom: 8 }}>
                <dt>Status</dt>
                <dd>{reply.status}</dd>
                <dt>URL</dt>
                <dd>{reply.url}</dd>
                <dt>Time</dt>
                <dd>{formatDuration(reply.durationMs ?? durationMs ?? 0)}</dd>
              </dl>
            )}
            <DataTree value={output} path={`steps.${id}`} label="The step's output" />
          </Tabs.Panel>
          <Tabs.Panel value="input">
            <DataTree value={input} path="" label="Input of the step" />
          </Tabs.Panel>
        </Tabs>
      )}
    </div>
  )
}

function Failure({ error }: { error: StepError }) {
  return <ErrorNote title={error.code} error={new Error(error.message)} hint={error.hint} />
}

interface Reply {
  status: number
  headers: Record<string, string>
  body: unknown
  url: string
  durationMs?: number
}

const isReply = (output: unknown): output is Reply =>
  typeof output === 'object' && output !== null && 'status' in output && 'headers' in output && 'body' in output
