// What can be done with a flow of the list.
import { ActionIcon, Menu, Text } from '@mantine/core'
import { IconCopyPlus, IconDots, IconFileExport, IconTags, IconTrash } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import type { FlowSummary } from '../api/api-types.ts'
import { ConfirmPopover } from '../ui/confirm-popover.tsx'
import { TagsDialog } from './tags-dialog.tsx'
import { useFlowActions } from './use-flow-actions.ts'

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
  const button = useRef<HTMLButtonElement>(null)
  const toOpen = useRef(true)
  useEffect(() => {
    if (!toOpen.current) return
    toOpen.current = false
    button.current!.focus()
    button.current!.click()
  }, [])
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
      {tagging && <TagsDialog flow={flow} onClose={() => setTagging(false)} />}
    </>
  )
}
