import { ActionIcon, Button } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useEffect } from 'react'
import classes from './editor.module.css'
import { useEditor } from './state/editor-context.tsx'

const SHOWN_MS = 8000

/** What was just done, with the way back; over the canvas, so that it covers nothing of the panel. */
export function UndoNotice() {
  const { notice, setNotice } = useEditor()
  useEffect(() => {
    if (!notice) return
    const timer = setTimeout(() => setNotice(null), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [notice, setNotice])
  if (!notice) return null
  return (
    <div className={classes.notice} role="status">
      {notice.message}
      <Button
        size="xs"
        variant="default"
        onClick={() => {
          setNotice(null)
          notice.undo()
        }}
      >
        Undo
      </Button>
      <ActionIcon size="sm" aria-label="Dismiss" onClick={() => setNotice(null)}>
        <IconX size={15} />
      </ActionIcon>
    </div>
  )
}
