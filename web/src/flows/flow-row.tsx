import { Anchor, Switch, Table, UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { memo, useState } from 'react'
import type { FlowStats, FlowSummary } from '../api/api-types.ts'
import { useMay } from '../api/session.ts'
import { ConfirmPopover } from '../ui/confirm-popover.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { plural } from '../ui/format.ts'
import { Sparkline } from '../ui/sparkline.tsx'
import { StatusDot } from '../ui/status.tsx'
import { RelativeTime } from '../ui/time.tsx'
import { countOf } from './flow-list.ts'
import { FlowMenu } from './flow-menu.tsx'
import classes from './flows-page.module.css'
import { useFlowActions } from './use-flow-actions.ts'

interface FlowRowProps {
  flow: FlowSummary
  stats: FlowStats | undefined
  onTag: (tag: string) => void
}

export const FlowRow = memo(function FlowRow({ flow, stats, onTag }: FlowRowProps) {
  const mayWrite = useMay('write')
  const [refusal, setRefusal] = useState<unknown>(null)
  const runs = countOf(stats, 'runs')
  const failed = countOf(stats, 'failed')
  return (
    <>
      <Table.Tr>
        <Table.Td className={classes.nameCell}>
          <Anchor component={Link} to={`/flows/${flow.id}`} className={classes.name} title={flow.name}>
            {flow.name}
          </Anchor>
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
        </Table.Td>
        <Table.Td className={classes.publishCell}>
          <PublishState flow={flow} mayWrite={mayWrite} onRefusal={setRefusal} />
        </Table.Td>
        <Table.Td className={classes.runCell}>
          {stats?.lastRun ? (
            <Link to="/runs/$id" params={{ id: stats.lastRun.id }} className={classes.lastRun}>
              <StatusDot status={stats.lastRun.status} />
              <span className={classes.dim}>
                <RelativeTime at={stats.lastRun.createdAt} />
              </span>
            </Link>
          ) : (
            <span className={classes.dim}>Never</span>
          )}
        </Table.Td>
        <Table.Td className={classes.activityCell}>
          <div className={classes.activity}>
            {stats && <Sparkline hours={stats.hours} />}
            <span className={classes.counts} aria-hidden="true">
              {runs === 0 ? 'No runs' : plural(runs, 'run')}
              {failed > 0 && <span className={classes.failed}>, {failed.toLocaleString('en')} failed</span>}
            </span>
          </div>
        </Table.Td>
        <Table.Td className={classes.changed}>
          <span className={classes.dim}>
            <RelativeTime at={flow.updatedAt} />
          </span>
        </Table.Td>
        <Table.Td className={classes.menuCell}>
          <FlowMenu flow={flow} mayWrite={mayWrite} />
        </Table.Td>
      </Table.Tr>
      {refusal !== null && (
        <Table.Tr>
          <Table.Td colSpan={6}>
            <ErrorNote
              title={`"${flow.name}" was not published`}
              error={refusal}
              hint={
                <Link to="/flows/$id" params={{ id: flow.id }}>
                  Open the flow to fix it
                </Link>
              }
            />
          </Table.Td>
        </Table.Tr>
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
  const published = flow.status === 'published'
  const words = published ? `Version ${flow.published?.version}` : 'Draft'
  if (!mayWrite) return <StatusDot status={flow.status} word={words} />
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
  return (
    <div className={classes.publish}>
      <ConfirmPopover
        title={`Unpublish "${flow.name}"?`}
        confirm="Unpublish"
        onConfirm={() => actions.unpublish(flow)}
        position="bottom-start"
        target={(ask) => (
          <Switch
            size="xs"
            checked={published}
            disabled={busy}
            aria-label={`${flow.name}: published`}
            onChange={published ? ask : publish}
          />
        )}
      >
        Its webhook replies 404 from now on. Runs in progress finish, and the draft and all versions stay.
      </ConfirmPopover>
      <span className={published ? undefined : classes.dim}>{words}</span>
    </div>
  )
}
