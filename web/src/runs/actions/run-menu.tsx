// What can be done with a run of the list.
import { ActionIcon, Loader, Menu } from '@mantine/core'
import { IconCopy, IconDots, IconPencil, IconPlayerStop } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { RunSummary } from '../../api/api-types.ts'
import { useMay } from '../../api/session.ts'
import { notifyDone, notifyFailure } from '../../ui/notify.tsx'
import { useClickWhenMade } from '../../ui/rows/use-click-when-made.ts'
import { isFinished } from '../model/run-filter.ts'
import { editorLink } from './editor-link.ts'
import { ReplayItems } from './replay-items.tsx'
import { useCancelRun, useReplayRun } from './use-run-actions.ts'

export function RunMenu({ run, label }: { run: RunSummary; label: string }) {
  // A menu for each row would be slow to draw; it is made when it is first reached for. A finger arrives and taps at once:
  // the button would be gone before its click, so there the click makes the menu, open.
  const [armed, setArmed] = useState<'no' | 'ready' | 'open'>('no')
  if (armed !== 'no') return <ArmedMenu run={run} label={label} startsOpen={armed === 'open'} />
  return (
    <ActionIcon
      size="sm"
      aria-label={label}
      aria-haspopup="menu"
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && setArmed('ready')}
      onClick={() => setArmed('open')}
      tabIndex={-1}
      data-menu
    >
      <IconDots size={15} />
    </ActionIcon>
  )
}

function ArmedMenu({ run, label, startsOpen }: { run: RunSummary; label: string; startsOpen: boolean }) {
  const mayWrite = useMay('runs:replay')
  const cancel = useCancelRun()
  const replay = useReplayRun()
  const failed = (what: string) => (error: unknown) => notifyFailure(what, error)
  const busy = cancel.isPending || replay.isPending
  const button = useClickWhenMade<HTMLButtonElement>(startsOpen)
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon ref={button} size="sm" aria-label={label} disabled={busy} tabIndex={-1} data-menu>
          {busy ? <Loader size={12} /> : <IconDots size={15} />}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {run.flowName !== null && run.error?.step && (
          <Menu.Item
            leftSection={<IconPencil size={15} />}
            component={Link}
            {...editorLink(run.flowId, { step: run.error.step })}
          >
            Open {run.error.step} in the editor
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconCopy size={15} />}
          onClick={() =>
            void navigator.clipboard.writeText(run.id).then(
              () => notifyDone('Run id copied'),
              (error: unknown) => notifyFailure('The browser refused to copy', error),
            )
          }
        >
          Copy run id
        </Menu.Item>
        {mayWrite && !isFinished(run.status) && (
          <Menu.Item
            leftSection={<IconPlayerStop size={15} />}
            onClick={() => cancel.mutate(run.id, { onError: failed('The run could not be cancelled') })}
          >
            Cancel run
          </Menu.Item>
        )}
        {mayWrite && run.flowName !== null && !run.dataDeleted && (
          <>
            <Menu.Divider />
            <ReplayItems
              run={run}
              onReplay={(choice) => replay.mutate(choice, { onError: failed('The run could not be replayed') })}
            />
          </>
        )}
        {!mayWrite && (
          <Menu.Label>You can only view runs. To replay or cancel them you need the role editor.</Menu.Label>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
