// The data beside a field: it opens with the field, or by its button.
import { ActionIcon, Popover } from '@mantine/core'
import { IconBraces } from '@tabler/icons-react'
import type { FocusEvent } from 'react'
import classes from './fields.module.css'
import pickClasses from './pick-list.module.css'
import { PickList } from './pick-list.tsx'

/** `field`: beside the field while one writes in it, and out of the way of the keyboard. */
export type PickerState = 'closed' | 'field' | 'button'

interface DataPickerProps {
  path: string
  label: string
  state: PickerState
  /** What the list is narrowed to while nothing is searched for. */
  written: string
  onState: (state: PickerState) => void
  onPick: (reference: string) => void
}

/** The anchor reaches from the field to the edge of the panel that it stands in, so that no other field is covered. */
function reachPanelEdge(anchor: HTMLSpanElement | null): void {
  const panel = anchor?.closest('[data-panel]')
  if (!anchor?.parentElement || !panel) return
  anchor.style.left = `${panel.getBoundingClientRect().left - anchor.parentElement.getBoundingClientRect().left}px`
}

/** Below this width of the window there is no room beside the panel. */
export const ROOM_BESIDE_PX = 900

export function DataPicker({ path, label, state, written, onState, onPick }: DataPickerProps) {
  const button = (
    <ActionIcon
      size={22}
      className={classes.pick}
      data-open={state !== 'closed' || undefined}
      title="Insert data"
      aria-label={`Insert data into ${label}`}
      onClick={() => onState(state === 'button' ? 'closed' : 'button')}
      onBlur={({ relatedTarget }) => {
        if (state === 'field' && !relatedTarget?.closest('[data-picker]')) onState('closed')
      }}
    >
      <IconBraces size={14} />
    </ActionIcon>
  )
  // The list is made only where it is asked for: every field has one.
  if (state === 'closed') return button
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    if (state === 'field' && !currentTarget.contains(relatedTarget)) onState('closed')
  }
  const isBeside = state === 'field'
  return (
    <Popover
      opened
      onChange={(opened) => !opened && onState('closed')}
      closeOnClickOutside={!isBeside}
      position={isBeside ? 'left-start' : 'bottom-end'}
      withRoles={!isBeside}
      width={360}
      trapFocus={!isBeside}
      withinPortal
    >
      <Popover.Target>{isBeside ? <span ref={reachPanelEdge} className={classes.anchor} /> : button}</Popover.Target>
      {isBeside && button}
      <Popover.Dropdown
        className={pickClasses.dropdown}
        aria-label={`Data for ${label}`}
        data-picker
        onBlur={onBlur}
        // A click on a row leaves the focus in the field, where its reference goes.
        onMouseDown={(event) => {
          if (state === 'field' && !(event.target instanceof HTMLInputElement)) event.preventDefault()
        }}
      >
        <PickList path={path} label={label} written={written} onPick={onPick} />
        {state === 'field' && <div className={pickClasses.hint}>Alt ↓ to choose by keyboard, Esc to close</div>}
      </Popover.Dropdown>
    </Popover>
  )
}
