import { ActionIcon } from '@mantine/core'
import { IconGripHorizontal, IconTrash } from '@tabler/icons-react'
import type { NodeProps } from '@xyflow/react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { LONGEST_NOTE } from '../../flow-model/notes.ts'
import classes from './canvas.module.css'
import type { NoteCardData } from './use-nodes.ts'

const STEPS: Record<string, [x: number, y: number]> = {
  ArrowUp: [0, -16],
  ArrowDown: [0, 16],
  ArrowLeft: [-16, 0],
  ArrowRight: [16, 0],
}

/** A note as plain text. Its handle is dragged, or moved by the arrow keys. */
export function NoteCard({ data }: NodeProps) {
  const { index, text, readOnly, onText, onMove, onRemove } = data as NoteCardData
  // The text comes back from the document a moment after it was typed: while it is typed, what stands here counts.
  const [typed, setTyped] = useState<string | null>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const isNew = useRef(text === '' && !readOnly)
  useEffect(() => {
    if (isNew.current) area.current?.focus({ preventScroll: true })
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step) onMove(index, { x: step[0], y: step[1] })
    else if (event.key === 'Delete' || event.key === 'Backspace') onRemove(index)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className={classes.note} data-note={index}>
      {!readOnly && (
        <div className={classes.noteHead}>
          <button
            type="button"
            className={`${classes.noteHandle} note-handle`}
            aria-label={`Move note ${index + 1} (arrow keys)`}
            title="Drag to move"
            onKeyDown={onKeyDown}
          >
            <IconGripHorizontal size={14} aria-hidden="true" />
          </button>
          <ActionIcon
            size={18}
            className="nodrag"
            aria-label={`Delete note ${index + 1}`}
            onClick={() => onRemove(index)}
          >
            <IconTrash size={12} />
          </ActionIcon>
        </div>
      )}
      <textarea
        ref={area}
        className={`${classes.noteText} nodrag nopan nowheel`}
        aria-label={`Note ${index + 1}`}
        placeholder="Write a note"
        readOnly={readOnly}
        maxLength={LONGEST_NOTE}
        value={typed ?? text}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          onText(index, currentTarget.value)
        }}
        onBlur={({ relatedTarget, currentTarget }) => {
          setTyped(null)
          // The buttons of the note itself come from its text, too.
          const staysHere = currentTarget.parentElement!.contains(relatedTarget)
          if (!readOnly && !staysHere && (typed ?? text).trim() === '') onRemove(index)
        }}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
    </div>
  )
}
