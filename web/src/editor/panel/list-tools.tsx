// The buttons beside an entry of a list in a form: up, down and away.
import { ActionIcon, Tooltip } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react'
import classes from './panel.module.css'

interface ListToolsProps<T> {
  /** What the entry is called, such as "case 2". */
  name: string
  list: readonly T[]
  index: number
  /** What goes with it, such as " and its steps". */
  along?: string
  /** The fewest entries that the list may have. */
  fewest: number
  readOnly: boolean
  onChange: (list: T[]) => void
}

export function ListTools<T>({
  name,
  along = ' and its steps',
  list,
  index,
  fewest,
  readOnly,
  onChange,
}: ListToolsProps<T>) {
  const move = (by: number) => onChange(list.toSpliced(index, 1).toSpliced(index + by, 0, list[index]!))
  return (
    <div className={classes.tools}>
      <Tool label={`Move ${name} up`} disabled={readOnly || index === 0} onClick={() => move(-1)}>
        <IconArrowUp size={15} />
      </Tool>
      <Tool label={`Move ${name} down`} disabled={readOnly || index === list.length - 1} onClick={() => move(1)}>
        <IconArrowDown size={15} />
      </Tool>
      <Tool
        label={`Delete ${name}${along}`}
        disabled={readOnly || list.length <= fewest}
        onClick={() => onChange(list.toSpliced(index, 1))}
      >
        <IconTrash size={15} />
      </Tool>
    </div>
  )
}

interface ToolProps {
  label: string
  disabled: boolean
  onClick: () => void
  children: React.ReactNode
}

function Tool({ label, disabled, onClick, children }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon size="sm" aria-label={label} disabled={disabled} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  )
}
