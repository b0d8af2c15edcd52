// What can be done with several steps that were chosen together.
import { ActionIcon, Button } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { stepsToText } from '../flow-model/clipboard.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { plural } from '../ui/format.ts'
import classes from './editor.module.css'
import { useEditor } from './state/editor-context.tsx'
import { useEdits } from './state/use-edits.ts'
import { chosenPlaces } from './state/use-marks.ts'

export function MarkedBar() {
  const value = useEditor()
  const edits = useEdits()
  const { marked, setMarked, readOnly } = value
  if (marked.size === 0) return null
  const chosen = chosenPlaces(value)
  if (chosen.length === 0) return null
  const clear = () => setMarked(new Set())
  return (
    <div className={classes.marked} role="toolbar" aria-label="Chosen steps">
      <span>{plural(chosen.length, 'step')} chosen</span>
      <CopyButton value={() => stepsToText(chosen.map(({ step }) => step))} label="Copy" withLabel size="xs" />
      {!readOnly && (
        <>
          <Button size="xs" variant="default" onClick={() => edits.duplicateAll(chosen)}>
            Duplicate
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              edits.removeAll(chosen)
              clear()
            }}
          >
            Delete
          </Button>
        </>
      )}
      <ActionIcon size="sm" aria-label="Choose none" onClick={clear}>
        <IconX size={15} />
      </ActionIcon>
    </div>
  )
}
