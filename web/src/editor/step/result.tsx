// What a step gave: a reply with its parts, or its output, what it was given, and what its code wrote.
import { Tabs } from '@mantine/core'
import type { StepError } from '../../api/api-types.ts'
import { stepKind } from '../../step-kinds/index.ts'
import { DataTree } from '../../ui/data/data-tree.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { formatDuration } from '../../ui/format.ts'
import classes from '../panel/panel.module.css'

export interface ShownResult {
  output?: unknown
  error: StepError | null
  input?: unknown
  logs?: readonly string[]
  durationMs?: number
}

export function Result({
  id,
  kind,
  input,
  output,
  error,
  logs = [],
  durationMs,
}: ShownResult & { id: string; kind: string }) {
  const reply = stepKind(kind).sendsRequest && isReply(output) ? output : null
  const hasOutput = (output !== null && output !== undefined) || !error
  return (
    <div className={classes.result}>
      {error && <Failure error={error} />}
      {(hasOutput || logs.length > 0) && (
        <Tabs defaultValue={reply ? 'body' : hasOutput ? 'output' : 'logs'} variant="default" keepMounted={false}>
          <Tabs.List mb={8}>
            {reply && <Tabs.Tab value="body">Body</Tabs.Tab>}
            {reply && <Tabs.Tab value="headers">Headers ({Object.keys(reply.headers).length})</Tabs.Tab>}
            {hasOutput && <Tabs.Tab value="output">{reply ? 'All' : 'Output'}</Tabs.Tab>}
            {input !== undefined && input !== null && <Tabs.Tab value="input">Sent</Tabs.Tab>}
            {logs.length > 0 && <Tabs.Tab value="logs">Logs ({logs.length})</Tabs.Tab>}
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
          <Tabs.Panel value="logs">
            <pre className={classes.logs}>{logs.join('\n')}</pre>
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
