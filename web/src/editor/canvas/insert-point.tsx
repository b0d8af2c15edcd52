import { Popover } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { NodeProps } from '@xyflow/react'
import { useEditor } from '../editor-context.tsx'
import type { Position } from '../model/flow-tree.ts'
import { AddStepMenu } from './add-step-menu.tsx'
import classes from './canvas.module.css'

export interface InsertPointData extends Record<string, unknown> {
  position: Position
  /** The only thing in its list, so always to be seen. */
  alone: boolean
  /** A dragged card would be dropped here. */
  target: boolean
}

export function InsertPoint({ data }: NodeProps) {
  const { position, alone, target } = data as InsertPointData
  const { adding, setAdding, readOnly } = useEditor()
  const opened = adding?.list === position.list && adding.index === position.index
  if (readOnly) return null
  return (
    <Popover
      opened={opened}
      onChange={(now) => !now && setAdding(null)}
      position="bottom"
      trapFocus
      returnFocus
      withinPortal
      middlewares={{ flip: true, shift: true }}
    >
      <Popover.Target>
        <button
          type="button"
          tabIndex={-1}
          className={`${classes.insert} nodrag nopan`}
          data-open={opened || undefined}
          data-alone={alone || undefined}
          data-target={target || undefined}
          data-insert={`${position.list}:${position.index}`}
          aria-label="Add a step here"
          onClick={() => setAdding(opened ? null : position)}
        >
          <IconPlus size={12} aria-hidden="true" />
        </button>
      </Popover.Target>
      <Popover.Dropdown className={classes.menu} aria-label="Add a step">
        <AddStepMenu position={position} />
      </Popover.Dropdown>
    </Popover>
  )
}
