import { ActionIcon, Anchor, Menu, Switch, Table, Text } from '@mantine/core'
import { IconCopyPlus, IconDots, IconFileExport, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Flow, FlowStats } from '../api/api-types.ts'
import { useMay } from '../api/session.ts'
import { ConfirmPopover } from '../ui/confirm-popover.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { plural } from '../ui/format.ts'
import { PausedNote } from '../ui/paused-note.tsx'
import { Sparkline } from '../ui/sparkline.tsx'
import { StatusDot } from '../ui/status.tsx'
import { RelativeTime } from '../ui/time.tsx'
import classes from './flows-page.module.css'
import { useFlowActions } from './use-flow-actions.ts'

export function FlowRow({ flow, stats }: { flow: Flow; stats: FlowStats | undefined }) {
  const mayWrite = useMay('write')
  const [refusal, setRefusal] = useState<unknown>(null)
  const runs = stats?.hours.reduce((sum, hour) => sum + hour.runs, 0) ?? 0
  const failed = stats?.hours.reduce((sum, hour) => sum + hour.failed, 0) ?? 0
  return (
    <>
      <Table.Tr>
        <Table.Td className={classes.nameCell}>
          <Anchor component={Link} to={`/flows/${flow.id}`} className={classes.name} title={flow.name}>
            {flow.name}
          </Anchor>
        </Table.Td>
        <Table.Td>
          <PublishState flow={flow} mayWrite={mayWrite} onRefusal={setRefusal} />
        </Table.Td>
        <Table.Td>
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
        <Table.Td>
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
}

interface PublishStateProps {
  flow: Flow
  mayWrite: boolean
  onRefusal: (error: unknown) => void
}

function PublishState({ flow, mayWrite, onRefusal }: PublishStateProps) {
  const actions = useFlowActions()
  const [busy, setBusy] = useState(false)
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
        Its webhook answers 404 at once. Runs under way are finished; the draft and all versions stay.
      </ConfirmPopover>
      <span className={published ? undefined : classes.dim}>{words}</span>
      {note}
    </div>
  )
}

function FlowMenu({ flow, mayWrite }: { flow: Flow; mayWrite: boolean }) {
  const actions = useFlowActions()
  return (
    <ConfirmPopover
      title={`Delete "${flow.name}"?`}
      confirm="Delete flow"
      onConfirm={() => actions.remove(flow)}
      target={(ask) => (
        <div>
          <Menu position="bottom-end" width={190} returnFocus={false}>
            <Menu.Target>
              <ActionIcon aria-label={`More for ${flow.name}`}>
                <IconDots size={17} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {mayWrite && (
                <Menu.Item leftSection={<IconCopyPlus size={15} />} onClick={() => actions.duplicate(flow)}>
                  Duplicate
                </Menu.Item>
              )}
              {mayWrite && (
                <Menu.Item
                  leftSection={flow.paused ? <IconPlayerPlay size={15} /> : <IconPlayerPause size={15} />}
                  onClick={() => actions.setPaused(flow, !flow.paused)}
                >
                  {flow.paused ? 'Resume' : 'Pause'}
                </Menu.Item>
              )}
              <Menu.Item leftSection={<IconFileExport size={15} />} onClick={() => actions.exportYaml(flow)}>
                Export as YAML
              </Menu.Item>
              {mayWrite && (
                <>
                  <Menu.Divider />
                  <Menu.Item leftSection={<IconTrash size={15} />} color="red" onClick={ask}>
                    Delete…
                  </Menu.Item>
                </>
              )}
            </Menu.Dropdown>
          </Menu>
        </div>
      )}
    >
      <Text size="sm">
        Its webhook answers 404 at once, runs under way are cancelled, and the draft
        {flow.published ? `, all versions (the latest is ${flow.published.version})` : ''}, inbox, samples and stored
        keys are gone. Finished runs stay in the history until their time is up. This cannot be undone.
      </Text>
    </ConfirmPopover>
  )
}
