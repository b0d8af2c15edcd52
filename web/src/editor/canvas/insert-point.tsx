import { Popover } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { NodeProps } from '@xyflow/react'
import { AddStepMenu } from './add-step-menu.tsx'
import classes from './canvas.module.css'
import type { InsertPointData } from './use-nodes.ts'

export function InsertPoint({ data }: NodeProps) {
  const { list, index, alone, target, opened, onAdd } = data as InsertPointData
  const button = (
    <button
      type="button"
      tabIndex={-1}
      className={`${classes.insert} nodrag nopan`}
      data-open={opened || undefined}
      data-alone={alone || undefined}
      data-target={target || undefined}
      data-insert={`${list}:${index}`}
      aria-label="Add a step here"
      onClick={() => onAdd(opened ? null : { list, index })}
    >
      <IconPlus size={12} aria-hidden="true" />
    </button>
  )
  // A menu is made only where it is asked for: there are as many insert points as steps.
  if (!opened) return button
  return (
    <Popover
      opened
      onChange={(now) => !now && onAdd(null)}
      position="bottom"
      trapFocus
      withinPortal
      middlewares={{ flip: true, shift: true }}
    >
      <Popover.Target>{button}</Popover.Target>
      <Popover.Dropdown className={classes.menu} aria-label="Add a step">
        <AddStepMenu position={{ list, index }} />
      </Popover.Dropdown>
    </Popover>
  )
}
