// The actions on a run: stop it, replay it, fix its flow, export its requests.
import { Button, Menu, Tooltip } from '@mantine/core'
import {
  IconChevronDown,
  IconDownload,
  IconPencil,
  IconPencilBolt,
  IconPlayerStop,
  IconRefresh,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { urlOf } from '../../api/api-client.ts'
import type { Run } from '../../api/api-types.ts'
import { useMay } from '../../api/session.ts'
import { stepKind } from '../../step-kinds/index.ts'
import { ConfirmPopover } from '../../ui/confirm-popover.tsx'
import { isFinished } from '../model/run-filter.ts'
import { editorLink } from './editor-link.ts'
import { ReplayItems } from './replay-items.tsx'
import { useCancelRun, type useReplayRun } from './use-run-actions.ts'

/** The editor is fetched when it is first wanted. */
const ReplayChanges = lazy(() => import('./replay-changes.tsx'))

interface RunActionsProps {
  run: Run
  /** The step that is looked at, to replay from. */
  step: { path: string; id: string } | null
  replay: ReturnType<typeof useReplayRun>
}

export function RunActions({ run, step, replay }: RunActionsProps) {
  const mayWrite = useMay('runs:replay')
  const cancel = useCancelRun()
  const [changing, setChanging] = useState(false)
  const why =
    run.flowName === null
      ? 'The flow was deleted.'
      : mayWrite
        ? 'The data of the run was deleted with its end, so it cannot be replayed.'
        : 'You can only view runs. To replay or cancel them you need the role editor.'
  const mayReplay = mayWrite && run.flowName !== null && !run.dataDeleted
  const failed = run.error?.step
  return (
    <>
      {!run.dataDeleted && run.steps.some(({ kind }) => stepKind(kind).sendsRequest) && (
        <Button
          variant="default"
          component="a"
          href={urlOf(`/runs/${run.id}/har`)}
          download={`${run.id}.har`}
          leftSection={<IconDownload size={15} />}
        >
          Download HAR
        </Button>
      )}
      {run.flowName !== null && (
        <Button
          variant="default"
          component={Link}
          leftSection={<IconPencil size={15} />}
          {...editorLink(run.flowId, { step: failed })}
        >
          {failed ? `Open ${failed} in the editor` : 'Open in the editor'}
        </Button>
      )}
      {mayWrite && !isFinished(run.status) && (
        <ConfirmPopover
          title="Cancel this run?"
          confirm="Cancel run"
          onConfirm={() => cancel.mutateAsync(run.id)}
          target={(open) => (
            <Button variant="default" leftSection={<IconPlayerStop size={15} />} onClick={open}>
              Cancel
            </Button>
          )}
        >
          The run ends now, and a request in flight is aborted. Finished steps are not undone.
        </ConfirmPopover>
      )}
      <Menu position="bottom-end" width={260} disabled={!mayReplay}>
        <Menu.Target>
          <Tooltip label={why} disabled={mayReplay}>
            <Button
              leftSection={<IconRefresh size={15} />}
              rightSection={<IconChevronDown size={14} />}
              loading={replay.isPending}
              data-disabled={!mayReplay || undefined}
              aria-disabled={!mayReplay || undefined}
            >
              Replay
            </Button>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <ReplayItems run={run} onReplay={(choice) => replay.mutate(choice)} />
          <Menu.Divider />
          <Menu.Item leftSection={<IconPencilBolt size={15} />} onClick={() => setChanging(true)}>
            Replay with changes…
          </Menu.Item>
          {step && (
            <>
              <Menu.Divider />
              <ReplayItems
                run={run}
                from={{ path: step.path, label: step.id }}
                onReplay={(choice) => replay.mutate(choice)}
              />
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {changing && (
        <Suspense>
          <ReplayChanges run={run} step={step} replay={replay} onClose={() => setChanging(false)} />
        </Suspense>
      )}
    </>
  )
}
