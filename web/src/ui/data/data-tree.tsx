// JSON as a tree: opens where it is looked at, gives away paths and values, and stays quick however large the data is.
import { Button, Group, SegmentedControl, Text } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from 'react'
import { CodeEditor } from '../code/code-editor.tsx'
import { CopyButton } from '../copy-button.tsx'
import { download } from '../download.ts'
import { formatBytes } from '../format.ts'
import { type DataRow, dataRows, PAGE, type TreeState } from './data-rows.ts'
import { tableOf } from './data-shape.ts'
import { DataSchema, DataTable } from './data-shape-views.tsx'
import classes from './data-tree.module.css'
import { DataTreeRow, type RowPart } from './data-tree-row.tsx'
import { fileDataOf, fileUrl } from './file-data.ts'

interface DataTreeProps {
  value: unknown
  /** The expression that reads the root, such as `webhook.body`. */
  path: string
  /** The name of the data for people who cannot see it. */
  label: string
  /** With the choice of a table, a schema or raw text above the tree. */
  withRaw?: boolean
}

export function DataTree({ value, path, label, withRaw = true }: DataTreeProps) {
  const [view, setView] = useState<'tree' | 'table' | 'schema' | 'raw'>('tree')
  const table = useMemo(() => (withRaw ? tableOf(value, path) : null), [withRaw, value, path])
  const hasParts = typeof value === 'object' && value !== null
  const text = () => textOf(value)
  return (
    <div>
      {withRaw && (
        <Group justify="space-between" mb={6}>
          <SegmentedControl
            size="xs"
            value={view}
            onChange={(chosen) => setView(chosen as typeof view)}
            data={[
              { value: 'tree', label: 'Tree' },
              ...(table ? [{ value: 'table', label: 'Table' }] : []),
              ...(hasParts ? [{ value: 'schema', label: 'Schema' }] : []),
              { value: 'raw', label: 'Raw' },
            ]}
            aria-label={`How to show ${label}`}
          />
          <CopyButton value={text} label="Copy all" />
        </Group>
      )}
      {view === 'table' && table ? (
        <DataTable table={table} label={label} />
      ) : view === 'schema' && hasParts ? (
        <DataSchema value={value} path={path} label={label} />
      ) : view === 'raw' ? (
        <Raw value={value} label={label} />
      ) : (
        <Tree value={value} path={path} label={label} />
      )}
    </div>
  )
}

const nothingToggled: TreeState = { toggled: new Map(), shown: new Map() }

function Tree({ value, path, label }: Pick<DataTreeProps, 'value' | 'path' | 'label'>) {
  const [state, setState] = useState(nothingToggled)
  const rows = useMemo(() => dataRows(value, path, state), [value, path, state])
  const [active, setActive] = useState('')
  /** The row under the pointer or the focus: only that one has its tools, which would make hundreds of rows slow. */
  const [near, setNear] = useState<string | null>(null)
  const [copied, setCopied] = useState<{ id: string; part: RowPart } | null>(null)
  const clipboard = useClipboard({ timeout: 1200 })
  const list = useRef<HTMLDivElement>(null)
  const tabbable = rows.some(({ id }) => id === active) ? active : ''

  const toggle = useCallback((row: DataRow, open = !row.open) => {
    if (row.kind === 'more') {
      const id = row.value as string
      setState(({ toggled, shown }) => ({ toggled, shown: new Map(shown).set(id, (shown.get(id) ?? PAGE) + PAGE) }))
    } else if (row.kind !== 'leaf')
      setState(({ toggled, shown }) => ({ toggled: new Map(toggled).set(row.id, open), shown }))
  }, [])
  const { copy: toClipboard } = clipboard
  const copy = useCallback(
    (row: DataRow, part: RowPart) => {
      toClipboard(part === 'path' ? row.path : textOf(row.value))
      setCopied({ id: row.id, part })
    },
    [toClipboard],
  )
  const focus = (row: DataRow | undefined) => {
    if (!row) return
    setActive(row.id)
    list.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(row.id)}"]`)?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const index = rows.findIndex(({ id }) => id === rowIdOf(event.target))
    const row = rows[index]
    if (!row) return
    const step = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key]
    if (step !== undefined) focus(rows[step])
    else if (event.key === 'ArrowRight' && row.open) focus(rows[index + 1])
    else if (event.key === 'ArrowRight') toggle(row, true)
    else if (event.key === 'ArrowLeft' && row.open) toggle(row, false)
    else if (event.key === 'ArrowLeft') focus(rows.findLast(({ depth }, i) => i < index && depth < row.depth))
    else if (event.key === 'Enter' || event.key === ' ') toggle(row)
    else if ((event.key === 'c' || event.key === 'p') && row.kind !== 'more')
      copy(row, event.key === 'c' ? 'value' : 'path')
    else if (event.key === 'd' && fileDataOf(row.value)) window.location.assign(fileUrl(fileDataOf(row.value)!))
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <>
      <div
        className={classes.tree}
        role="tree"
        tabIndex={-1}
        aria-label={label}
        ref={list}
        onKeyDown={onKeyDown}
        onMouseOver={(event) => setNear(rowIdOf(event.target))}
        onMouseLeave={() => setNear(null)}
        onFocus={(event) => {
          const id = rowIdOf(event.target)
          setNear(id)
          if (id !== null) setActive(id)
        }}
      >
        {rows.map((row) => (
          <DataTreeRow
            key={row.id}
            row={row}
            tabbable={row.id === tabbable}
            withTools={row.id === near}
            copied={clipboard.copied && copied?.id === row.id ? copied.part : null}
            onToggle={toggle}
            onCopy={copy}
          />
        ))}
      </div>
      <div className={classes.announce} aria-live="polite">
        {clipboard.copied ? 'Copied' : ''}
      </div>
    </>
  )
}

const rowIdOf = (target: EventTarget): string | null =>
  target instanceof Element ? (target.closest('[role=treeitem]')?.getAttribute('data-id') ?? null) : null

const RAW_CUT = 500_000

function Raw({ value, label }: { value: unknown; label: string }) {
  const text = useMemo(() => textOf(value), [value])
  const mode = typeof value === 'string' ? 'text' : 'json'
  return (
    <>
      <CodeEditor value={text.slice(0, RAW_CUT)} mode={mode} label={label} readOnly maxHeight={480} />
      {text.length > RAW_CUT && (
        <Group justify="space-between" mt={6}>
          <Text size="xs" c="dimmed">
            Cut at {formatBytes(RAW_CUT)} of {formatBytes(text.length)}.
          </Text>
          <Button
            size="xs"
            variant="default"
            onClick={() =>
              mode === 'json'
                ? download('value.json', text, 'application/json')
                : download('value.txt', text, 'text/plain')
            }
          >
            Download all
          </Button>
        </Group>
      )}
    </>
  )
}

/** Text as it is, everything else as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}
