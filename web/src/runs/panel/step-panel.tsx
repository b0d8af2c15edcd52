// What a step worked with, what came of it, and why it failed.
import { Button, Tabs } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { urlOf } from '../../api/api-client.ts'
import type { Run, RunStep } from '../../api/api-types.ts'
import { stepKind } from '../../step-kinds/index.ts'
import { KindIcon } from '../../step-kinds/kind-icon.tsx'
import { LargeData } from '../../ui/data/large-data.tsx'
import { formatDuration, formatMoment, plural } from '../../ui/format.ts'
import { StatusDot } from '../../ui/status.tsx'
import { useNow } from '../../ui/time.tsx'
import { editorLink } from '../actions/editor-link.ts'
import type { RoundList } from '../model/rounds.ts'
import type { Tab } from '../model/run-selection.ts'
import { callbackAt } from '../model/waits.ts'
import { Attempts } from './attempts.tsx'
import { CallbackNote } from './callback-note.tsx'
import classes from './panel.module.css'
import { PanelHead } from './panel-head.tsx'
import { RoundBrowser } from './round-browser.tsx'
import { RunLink } from './run-link.tsx'
import { DATA_DELETED, Data } from './step-data.tsx'
import { StepErrorNote } from './step-error-note.tsx'

interface StepPanelProps {
  run: Run
  step: RunStep
  /** Of a loop. */
  rounds: RoundList | null
  tab: Tab | undefined
  onTab: (tab: Tab) => void
  onSelect: (path: string) => void
}

export function StepPanel({ run, step, rounds, tab, onTab, onSelect }: StepPanelProps) {
  const tabs: Tab[] = [
    ...(rounds ? ['rounds' as const] : []),
    'output',
    'input',
    ...(step.logs.length ? ['logs' as const] : []),
  ]
  const callback = callbackAt(run.callbacks, step.path)
  const shown = tab && tabs.includes(tab) ? tab : tabs[0]!
  return (
    <>
      <PanelHead
        icon={<KindIcon kind={step.kind} size={17} />}
        title={<code>{step.id}</code>}
        what={step.kind}
        status={<StatusDot status={step.status} />}
      />
      <div className={classes.tabs}>
        <Tabs value={shown} onChange={(value) => value && onTab(value as Tab)}>
          <Tabs.List>
            {tabs.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {name === 'rounds'
                  ? `Rounds ${rounds!.total.toLocaleString('en')}`
                  : name === 'logs'
                    ? `Logs ${step.logs.length}`
                    : name === 'output'
                      ? 'Output'
                      : 'Input'}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
      </div>
      {shown === 'rounds' ? (
        <RoundBrowser rounds={rounds!} onSelect={onSelect} />
      ) : (
        <div className={classes.scroll}>
          <Facts run={run} step={step} awaits={callback !== null} />
          {callback && <CallbackNote key={callback.id} run={run} callback={callback} output={step.output} />}
          {step.attempts && <Attempts attempts={step.attempts} />}
          {step.error && (
            <StepErrorNote
              error={step.error}
              retrying={step.status === 'waiting'}
              actions={
                step.status === 'failed' &&
                run.flowName !== null && (
                  <Button
                    size="xs"
                    variant="default"
                    component={Link}
                    leftSection={<IconPencil size={14} />}
                    {...editorLink(run.flowId, { step: step.error.step ?? step.id })}
                  >
                    Open in the editor
                  </Button>
                )
              }
            />
          )}
          {shown === 'output' && (
            <StepData
              run={run}
              step={step}
              part="output"
              path={`steps.${step.id}`}
              label="Output"
              none={run.dataDeleted ? DATA_DELETED : noOutput(step)}
            />
          )}
          {shown === 'input' && (
            <StepData
              run={run}
              step={step}
              part="input"
              path=""
              label="Input"
              none={run.dataDeleted ? DATA_DELETED : NO_INPUT}
            />
          )}
          {shown === 'logs' && <Logs lines={step.logs} />}
        </div>
      )}
    </>
  )
}

interface StepDataProps {
  run: Run
  step: RunStep
  part: 'input' | 'output'
  path: string
  label: string
  none: string
}

/** What is too large to come along with the run is fetched when somebody wants to see it. */
function StepData({ run, step, part, path, label, none }: StepDataProps) {
  if (!step.omitted?.includes(part)) return <Data value={step[part]} path={path} label={label} none={none} />
  const url = urlOf(`/runs/${run.id}/steps/part`, { path: step.path, part })
  return <LargeData key={url} url={url} path={path} label={label} />
}

const NO_INPUT = 'The step has not told yet what it works with.'

function noOutput({ status }: RunStep): string {
  if (status === 'running') return 'The step is running; its result appears here.'
  if (status === 'waiting') return 'The step waits; its result appears here.'
  return 'The step left no output.'
}

function Facts({ run, step, awaits }: { run: Run; step: RunStep; awaits: boolean }) {
  const { startedAt, finishedAt, attempt, resumeAt, status } = step
  const { waits } = stepKind(step.kind)
  const now = useNow(1000)
  const from = Date.parse(startedAt)
  return (
    <dl className={classes.facts}>
      <div>
        <dt>Started</dt>
        <dd>{formatMoment(from)}</dd>
      </div>
      <div>
        <dt>{finishedAt ? 'Took' : 'For'}</dt>
        <dd>{formatDuration(Math.max(0, (finishedAt ? Date.parse(finishedAt) : now) - from))}</dd>
      </div>
      {(attempt > 1 || (status === 'waiting' && !waits)) && (
        <div>
          <dt>Attempts</dt>
          <dd>{attempt}</dd>
        </div>
      )}
      {run.children
        .filter((child) => child.step === step.path)
        .slice(0, MOST_CALLED)
        .map(({ run: id }) => (
          <div key={id}>
            <dt>Called run</dt>
            <dd>
              <RunLink id={id} />
            </dd>
          </div>
        ))}
      {resumeAt && (
        <div>
          <dt>{awaits ? 'Ends' : waits ? 'Goes on' : 'Tried again'}</dt>
          <dd>
            {Date.parse(resumeAt) > now
              ? `in ${formatDuration(Math.ceil((Date.parse(resumeAt) - now) / 1000) * 1000)}`
              : 'now'}
            {' · '}
            {formatMoment(Date.parse(resumeAt))}
          </dd>
        </div>
      )}
    </dl>
  )
}

/** A step that is tried again calls again. */
const MOST_CALLED = 5

const SHOWN_LINES = 500

function Logs({ lines }: { lines: readonly string[] }) {
  const shown = lines.slice(0, SHOWN_LINES)
  return (
    <>
      <ol className={classes.log}>
        {shown.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and never move
          <li key={index}>{line}</li>
        ))}
      </ol>
      {lines.length > SHOWN_LINES && (
        <p className={classes.none}>{plural(lines.length - SHOWN_LINES, 'more line')} not shown.</p>
      )}
    </>
  )
}
