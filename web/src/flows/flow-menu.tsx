// What can be done with a flow of the list.
import { ActionIcon, Menu, Text } from '@mantine/core'
import {
  IconCopyPlus,
  IconDots,
  IconFileExport,
  IconPlayerPause,
  IconPlayerPlay,
  IconTags,
  IconTrash,
} from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import type { FlowSummary } from '../api/api-types.ts'
import { ConfirmPopover } from '../ui/confirm-popover.tsx'
import { useClickWhenMade } from '../ui/rows/use-click-when-made.ts'
import { useFlowActions } from './use-flow-actions.ts'

const TagsDialog = lazy(async () => ({ default: (await import('./tags-dialog.tsx')).TagsDialog }))

interface FlowMenuProps {
  flow: FlowSummary
  mayWrite: boolean
}

/** A menu for each of many rows would be slow to draw: it is made when its button is first used. */
export function FlowMenu({ flow, mayWrite }: FlowMenuProps) {
  const [made, setMade] = useState(false)
  if (made) return <MadeMenu flow={flow} mayWrite={mayWrite} />
  return (
    <ActionIcon aria-label={`More for ${flow.name}`} aria-haspopup="menu" onClick={() => setMade(true)}>
      <IconDots size={17} />
    </ActionIcon>
  )
}

function MadeMenu({ flow, mayWrite }: FlowMenuProps) {
  const actions = useFlowActions()
  const [tagging, setTagging] = useState(false)
  const button = useClickWhenMade<HTMLButtonElement>()
  return (
    <>
      <ConfirmPopover
        title={`Delete "${flow.name}"?`}
        confirm="Delete flow"
        onConfirm={() => actions.remove(flow)}
        target={(ask) => (
          <div>
            <Menu position="bottom-end" width={190} returnFocus={false}>
              <Menu.Target>
                <ActionIcon ref={button} aria-label={`More for ${flow.name}`}>
                  <IconDots size={17} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                {mayWrite && (
                  <>
                    <Menu.Item leftSection={<IconTags size={15} />} onClick={() => setTagging(true)}>
                      Tags…
                    </Menu.Item>
                    <Menu.Item leftSection={<IconCopyPlus size={15} />} onClick={() => actions.duplicate(flow)}>
                      Duplicate
                    </Menu.Item>
                    <Menu.Item
                      leftSection={flow.paused ? <IconPlayerPlay size={15} /> : <IconPlayerPause size={15} />}
                      onClick={() => actions.setPaused(flow, !flow.paused)}
                    >
                      {flow.paused ? 'Resume' : 'Pause'}
                    </Menu.Item>
                  </>
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
          Its webhook replies 404 from now on, runs in progress are cancelled, and the draft
          {flow.published ? `, all versions (the latest is ${flow.published.version})` : ''}, inbox, samples and stored
          keys are deleted. Finished runs stay until their retention ends. This cannot be undone.
        </Text>
      </ConfirmPopover>
      <Suspense fallback={null}>{tagging && <TagsDialog flow={flow} onClose={() => setTagging(false)} />}</Suspense>
    </>
  )
}
