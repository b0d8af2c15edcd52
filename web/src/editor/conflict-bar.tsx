// Somebody else saved the flow meanwhile: what they changed, and whose draft goes on, or both together.
import { Button, Group, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { diffFlows } from '../flow-model/diff-flows.ts'
import type { Saving } from '../flow-model/flow-editor.ts'
import { mergeFlows } from '../flow-model/merge-flows.ts'
import { plural } from '../ui/format.ts'
import classes from './editor.module.css'
import { ChangeList } from './publish/change-list.tsx'
import { useEditor } from './state/editor-context.tsx'

export function ConflictBar({ conflict }: { conflict: Saving & { status: 'conflict' } }) {
  const { editor, document } = useEditor()
  const [comparing, setComparing] = useState(false)
  const theirs = diffFlows(editor.saved, conflict.theirs.draft)
  const mine = diffFlows(editor.saved, document)
  const both = useMemo(
    () => mergeFlows(editor.saved, document, conflict.theirs.draft),
    [editor, document, conflict.theirs.draft],
  )
  return (
    <>
      <div className={classes.bar} data-tone="wait" role="alert">
        <span style={{ flex: '1 1 280px' }}>
          This flow was saved elsewhere while you edited it: {plural(theirs.length, 'change')} there,{' '}
          {plural(mine.length, 'change')} here. Nothing is saved until you choose.
        </span>
        <Group gap="xs">
          <Button size="xs" variant="default" aria-expanded={comparing} onClick={() => setComparing(!comparing)}>
            {comparing ? 'Hide' : 'Compare'}
          </Button>
          <Button size="xs" variant="default" onClick={() => editor.resolve('theirs')}>
            Take theirs
          </Button>
          <Button size="xs" variant={both ? 'default' : 'filled'} onClick={() => editor.resolve('mine')}>
            Keep mine
          </Button>
          {both && (
            <Button size="xs" onClick={() => editor.keepBoth(both)}>
              Keep both
            </Button>
          )}
        </Group>
      </div>
      {comparing && (
        <div className={classes.compare}>
          <Group grow align="flex-start">
            <div>
              <Text fw={500}>Changed elsewhere</Text>
              <ChangeList changes={theirs} />
            </div>
            <div>
              <Text fw={500}>Changed here</Text>
              <ChangeList changes={mine} />
            </div>
          </Group>
        </div>
      )}
    </>
  )
}
