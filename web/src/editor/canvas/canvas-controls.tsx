import { ActionIcon, Tooltip } from '@mantine/core'
import { IconFocusCentered, IconMinus, IconNote, IconPlus, IconSearch } from '@tabler/icons-react'
import { useReactFlow, useViewport } from '@xyflow/react'
import type { ReactNode } from 'react'
import { MOST_NOTES, newNote, notesOf } from '../../flow-model/notes.ts'
import { commandKey } from '../../shell/command-key.ts'
import classes from './canvas.module.css'
import { useCanvas } from './canvas-context.tsx'

export function CanvasControls({ onFit, onSearch }: { onFit: () => void; onSearch: () => void }) {
  const { document: flow, readOnly, selected, changeNotes } = useCanvas()
  const { zoomIn, zoomOut } = useReactFlow()
  const { zoom } = useViewport()
  const notes = notesOf(flow)
  return (
    <div className={classes.controls}>
      <Control label="Zoom out" icon={<IconMinus size={15} />} onClick={() => void zoomOut()} />
      <span className={classes.zoom}>{Math.round(zoom * 100)} %</span>
      <Control label="Zoom in" icon={<IconPlus size={15} />} onClick={() => void zoomIn()} />
      <Control label="Show the whole flow" icon={<IconFocusCentered size={15} />} onClick={onFit} />
      <Control label={`Find a step (${commandKey} F)`} icon={<IconSearch size={15} />} onClick={onSearch} />
      {!readOnly && (
        <Control
          label={notes.length < MOST_NOTES ? 'Add a note' : `A flow has at most ${MOST_NOTES} notes`}
          disabled={notes.length >= MOST_NOTES}
          icon={<IconNote size={15} />}
          onClick={() => changeNotes([...notes, newNote(flow, selected?.step.id ?? null)], 'Add a note')}
        />
      )}
    </div>
  )
}

interface ControlProps {
  label: string
  icon: ReactNode
  disabled?: boolean
  onClick: () => void
}

function Control({ label, icon, disabled = false, onClick }: ControlProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} disabled={disabled} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}
