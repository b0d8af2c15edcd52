import { UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { memo, useState } from 'react'
import type { FlowStats, FlowSummary } from '../api/api-types.ts'
import { ConfirmPopover } from '../ui/confirm-popover.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { formatCount, formatMoment, plural } from '../ui/format.ts'
import { PausedNote } from '../ui/paused-note.tsx'
import { RowSwitch } from '../ui/rows/row-switch.tsx'
import { Sparkline } from '../ui/rows/sparkline.tsx'
import { useClickWhenMade } from '../ui/rows/use-click-when-made.ts'
import { StatusDot } from '../ui/status.tsx'
import { countOf } from './flow-list.ts'
import { FlowMenu } from './flow-menu.tsx'
import classes from './flows-page.module.css'
import { useFlowActions } from './use-flow-actions.ts'

interface FlowRowProps {
  flow: FlowSummary
  stats: FlowStats | undefined
  /** As text, so that a row is drawn again only when what it says changes. */
  ran: string | null
  changed: string
  mayWrite: boolean
  onTag: (tag: string) => void
}

export const FlowRow = memo(function FlowRow({ flow, stats, ran, changed, mayWrite, onTag }: FlowRowProps) {
  const [refusal, setRefusal] = useState<unknown>(null)
  const runs = countOf(stats, 'runs')
  const failed = countOf(stats, 'failed')
  return (
    <>
      <tr>
        <td className={classes.nameCell}>
          <Link to="/flows/$id" params={{ id: flow.id }} className={classes.name} title={flow.name}>
            {flow.name}
          </Link>
          {flow.tags.length > 0 && (
            <div className={classes.tags}>
              {flow.tags.map((tag) => (
                <UnstyledButton
                  key={tag}
                  className={classes.tag}
                  aria-label={`Show flows tagged ${tag}`}
                  onClick={() => onTag(tag)}
                >
                  {tag}
                </UnstyledButton>
              ))}
            </div>
          )}
        </td>
        <td className={classes.publishCell}>
          <PublishState flow={flow} mayWrite={mayWrite} onRefusal={setRefusal} />
        </td>
        <td className={classes.runCell}>
          {stats?.lastRun ? (
            <Link to="/runs/$id" params={{ id: stats.lastRun.id }} className={classes.lastRun}>
              <StatusDot status={stats.lastRun.status} />
              <time
                className={classes.dim}
                dateTime={stats.lastRun.createdAt}
                title={formatMoment(Date.parse(stats.lastRun.createdAt))}
              >
                {ran}
              </time>
            </Link>
          ) : (
            <span className={classes.dim}>Never</span>
          )}
        </td>
        <td className={classes.activityCell}>
          <div className={classes.activity}>
            {stats && <Sparkline hours={stats.hours} />}
            <span className={classes.counts} aria-hidden="true">
              {runs === 0 ? 'No runs' : plural(runs, 'run')}
              {failed > 0 && <span className={classes.failed}>, {formatCount(failed)} failed</span>}
            </span>
          </div>
        </td>
        <td className={classes.changed}>
          <time className={classes.dim} dateTime={flow.updatedAt} title={formatMoment(Date.parse(flow.updatedAt))}>
            {changed}
          </time>
        </td>
        <td className={classes.menuCell}>
          <FlowMenu flow={flow} mayWrite={mayWrite} />
        </td>
      </tr>
      {refusal !== null && (
        <tr>
          <td colSpan={6}>
            <ErrorNote
              title={`"${flow.name}" was not published`}
              error={refusal}
              hint={
                <Link to="/flows/$id" params={{ id: flow.id }}>
                  Open the flow to fix it
                </Link>
              }
            />
          </td>
        </tr>
      )}
    </>
  )
})

interface PublishStateProps {
  flow: FlowSummary
  mayWrite: boolean
  onRefusal: (error: unknown) => void
}

function PublishState({ flow, mayWrite, onRefusal }: PublishStateProps) {
  const actions = useFlowActions()
  const [busy, setBusy] = useState(false)
  const [asked, setAsked] = useState(false)
  const published = flow.status === 'published'
  const words = published ? `Version ${flow.published?.version}` : 'Draft'
  const note = flow.paused && <PausedNote paused={flow.paused} />
  if (!mayWrite)
    return (
      <div className={classes.publish}>
        <StatusDot status={flow.status} word={words} />
        {note}
      </div>
    )
  const publish = async () => {
    setBusy(true)
    onRefusal(null)
    try {
      await actions.publish(flow)
    } catch (error) {
      onRefusal(error)
    } finally {
      setBusy(false)
    }
  }
  const control = { checked: published, disabled: busy, 'aria-label': `${flow.name}: published` }
  return (
    <div className={classes.publish}>
      {asked ? (
        <AskingSwitch {...control} flow={flow} onPublish={publish} onUnpublish={() => actions.unpublish(flow)} />
      ) : (
        <RowSwitch {...control} onChange={published ? () => setAsked(true) : publish} />
      )}
      <span className={published ? undefined : classes.dim}>{words}</span>
      {note}
    </div>
  )
}

interface AskingSwitchProps {
  flow: FlowSummary
  checked: boolean
  disabled: boolean
  'aria-label': string
  onPublish: () => void
  onUnpublish: () => Promise<unknown>
}

/** A question for each of many rows would be slow to draw: it is made when it is first asked. */
function AskingSwitch({ flow, onPublish, onUnpublish, ...control }: AskingSwitchProps) {
  const input = useClickWhenMade<HTMLInputElement>()
  return (
    <ConfirmPopover
      title={`Unpublish "${flow.name}"?`}
      confirm="Unpublish"
      onConfirm={onUnpublish}
      position="bottom-start"
      target={(ask) => <RowSwitch ref={input} {...control} onChange={control.checked ? ask : onPublish} />}
    >
      Its webhook replies 404 from now on. Runs in progress finish, and the draft and all versions stay.
    </ConfirmPopover>
  )
}
