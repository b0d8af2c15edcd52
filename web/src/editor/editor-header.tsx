// The flow's name and state, and what can be done with it as a whole.
import { ActionIcon, Button, Group, SegmentedControl, Tooltip } from '@mantine/core'
import { IconArrowBackUp, IconArrowForwardUp, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import type { EditorState } from '../flow-model/flow-editor.ts'
import { redoLabel, undoLabel } from '../flow-model/history.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { messageOf } from '../ui/error-note.tsx'
import { plural } from '../ui/format.ts'
import { StatusDot } from '../ui/status.tsx'
import classes from './editor.module.css'
import { useLiveChanges } from './publish/use-live-version.ts'
import { useEditor } from './state/editor-context.tsx'
import { useEdits } from './state/use-edits.ts'

export function EditorHeader({ state }: { state: EditorState }) {
  const { flow, document, search, open, tests, readOnly, editor } = useEditor()
  const edits = useEdits()
  const { view: _view, ...place } = search
  const undo = undoLabel(state.history)
  const redo = redoLabel(state.history)
  return (
    <PageHeader
      crumbs={[{ label: 'Flows', to: '/flows' }]}
      windowTitle={document.name}
      title={<FlowName />}
      status={
        <span className={classes.status}>
          <FlowStatus />
          <SaveState state={state} />
        </span>
      }
      actions={
        <>
          {!readOnly && (
            <Group gap={2} wrap="nowrap">
              <HistoryButton label={undo ? `Undo: ${undo}` : 'Nothing to undo'} disabled={!undo} onClick={edits.undo}>
                <IconArrowBackUp size={17} />
              </HistoryButton>
              <HistoryButton
                label={redo ? `Redo: ${redo}` : 'Nothing to redo'}
                disabled={!redo}
                onClick={() => editor.redo()}
              >
                <IconArrowForwardUp size={17} />
              </HistoryButton>
            </Group>
          )}
          <SegmentedControl
            size="xs"
            aria-label="How to show the flow"
            value={search.view ?? 'canvas'}
            onChange={(view) => open(view === 'yaml' ? { ...place, view: 'yaml' } : place)}
            data={[
              { value: 'canvas', label: 'Canvas' },
              { value: 'yaml', label: 'YAML' },
            ]}
          />
          <Button
            variant="default"
            leftSection={<IconPlayerPlay size={15} />}
            disabled={readOnly}
            loading={tests.starting}
            onClick={() => void tests.testFlow()}
          >
            Test flow
          </Button>
          {(!readOnly || flow.published) && (
            <Button
              variant={readOnly ? 'default' : 'filled'}
              onClick={() => open({ publish: true, ...(search.view ? { view: search.view } : {}) })}
            >
              {readOnly ? 'Versions' : 'Publish'}
            </Button>
          )}
        </>
      }
    />
  )
}

function FlowName() {
  const { document, editor, readOnly } = useEditor()
  const [typed, setTyped] = useState<string | null>(null)
  const name = typed ?? document.name
  const finish = () => {
    setTyped(null)
    const wanted = name.trim()
    if (wanted !== '' && wanted !== document.name)
      editor.edit({ ...document, name: wanted }, { label: 'Rename the flow' })
  }
  return (
    <input
      className={classes.name}
      aria-label="Name of the flow"
      value={name}
      size={Math.max(8, name.length)}
      maxLength={200}
      readOnly={readOnly}
      title={name}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={finish}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter') currentTarget.blur()
        if (key === 'Escape') setTyped(null)
      }}
    />
  )
}

function FlowStatus() {
  const { flow } = useEditor()
  const changes = useLiveChanges()
  if (!flow.published) return <StatusDot status="draft" />
  if (!changes || changes.length === 0)
    return <StatusDot status="published" word={`Published v${flow.published.version}`} />
  return (
    <Tooltip label={`Version ${flow.published.version} is live`}>
      <span>
        <StatusDot status="draft" word={`Draft · ${plural(changes.length, 'change')}`} />
      </span>
    </Tooltip>
  )
}

const WORDS: Record<EditorState['saving']['status'], string> = {
  saved: 'Saved',
  unsaved: 'Not saved yet',
  saving: 'Saving…',
  failed: 'Not saved',
  conflict: 'Not saved',
}

function SaveState({ state: { saving } }: { state: EditorState }) {
  const { readOnly, unread } = useEditor()
  if (unread)
    return (
      <span className={classes.saving} role="status" data-bad>
        Not saved: fault in line {unread.line} of the YAML
      </span>
    )
  const isBad = saving.status === 'failed' || saving.status === 'conflict'
  return (
    <span
      className={classes.saving}
      role="status"
      data-bad={isBad || undefined}
      title={saving.status === 'failed' ? messageOf(saving.error) : undefined}
    >
      {readOnly ? 'Read only' : WORDS[saving.status]}
    </span>
  )
}

interface HistoryButtonProps {
  label: string
  disabled: boolean
  onClick: () => void
  children: React.ReactNode
}

function HistoryButton({ label, disabled, onClick, children }: HistoryButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} disabled={disabled} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  )
}
