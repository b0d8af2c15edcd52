// JSON as a tree: opens where it is looked at, gives away paths and values, and stays quick however large the data is.
import { ActionIcon, Button, Group, SegmentedControl, Text, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconBraces, IconChevronRight, IconCopy } from '@tabler/icons-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { CodeEditor } from './code-editor.tsx'
import { CopyButton } from './copy-button.tsx'
import { type DataRow, dataRows, PAGE, type TreeState } from './data-rows.ts'
import classes from './data-tree.module.css'
import { download } from './download.ts'
import { formatBytes, plural } from './format.ts'

interface DataTreeProps {
  value: unknown
  /** The expression that reads the root, such as `webhook.body`. */
  path: string
  /** What is shown, for whoever cannot see it. */
  label: string
  /** With the choice of raw text above the tree. */
  withRaw?: boolean
  /** When given, Enter or a click on a name hands its path over, such as into the field being edited. */
  onPick?: (path: string) => void
}

export function DataTree({ value, path, label, withRaw = true, onPick }: DataTreeProps) {
  const [view, setView] = useState<'tree' | 'raw'>('tree')
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
              { value: 'raw', label: 'Raw' },
            ]}
            aria-label={`How to show ${label}`}
          />
          <CopyButton value={text} label="Copy all" />
        </Group>
      )}
      {view === 'tree' ? (
        <Tree value={value} path={path} label={label} onPick={onPick} />
      ) : (
        <Raw value={value} label={label} />
      )}
    </div>
  )
}

const nothingToggled: TreeState = { toggled: new Map(), shown: new Map() }

function Tree({ value, path, label, onPick }: Pick<DataTreeProps, 'value' | 'path' | 'label' | 'onPick'>) {
  const [state, setState] = useState(nothingToggled)
  const [active, setActive] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const clipboard = useClipboard({ timeout: 1200 })
  const [copied, setCopied] = useState<string | null>(null)
  const rows = useMemo(() => dataRows(value, path, state), [value, path, state])
  const focusable = rows.some(({ id }) => id === active) ? active : ''

  const toggle = (row: DataRow, open = !row.open) => {
    if (row.kind === 'more') {
      const id = row.value as string
      setState(({ toggled, shown }) => ({ toggled, shown: new Map(shown).set(id, (shown.get(id) ?? PAGE) + PAGE) }))
    } else if (row.kind !== 'leaf')
      setState(({ toggled, shown }) => ({ toggled: new Map(toggled).set(row.id, open), shown }))
  }
  const focus = (row: DataRow | undefined) => {
    if (!row) return
    setActive(row.id)
    list.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(row.id)}"]`)?.focus()
  }
  const copy = (row: DataRow, what: 'path' | 'value') => {
    clipboard.copy(what === 'path' ? row.path : textOf(row.value))
    setCopied(`${what} ${row.id}`)
  }
  const onKey = (event: KeyboardEvent, row: DataRow, index: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const handled = () => {
      event.preventDefault()
      event.stopPropagation()
    }
    const step = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key]
    if (step !== undefined) {
      handled()
      focus(rows[step])
    } else if (event.key === 'ArrowRight') {
      handled()
      if (row.open) focus(rows[index + 1])
      else toggle(row, true)
    } else if (event.key === 'ArrowLeft') {
      handled()
      if (row.open) toggle(row, false)
      else focus(rows.findLast(({ depth }, i) => i < index && depth < row.depth))
    } else if (event.key === 'Enter' || event.key === ' ') {
      handled()
      if (event.key === 'Enter' && onPick && row.kind !== 'more') onPick(row.path)
      else toggle(row)
    } else if ((event.key === 'c' || event.key === 'p') && row.kind !== 'more') {
      handled()
      copy(row, event.key === 'c' ? 'value' : 'path')
    }
  }

  return (
    <>
      <div className={classes.tree} role="tree" aria-label={label} ref={list}>
        {rows.map((row, index) => (
          <div
            key={row.id}
            className={classes.row}
            role="treeitem"
            aria-level={row.depth + 1}
            aria-posinset={row.position}
            aria-setsize={row.siblings}
            aria-expanded={row.kind === 'leaf' || row.kind === 'more' || row.count === 0 ? undefined : row.open}
            tabIndex={row.id === focusable ? 0 : -1}
            data-id={row.id}
            style={{ paddingLeft: row.depth * 14 }}
            onFocus={() => setActive(row.id)}
            onKeyDown={(event) => onKey(event, row, index)}
          >
            <RowContent row={row} onToggle={() => toggle(row)} onPick={onPick} />
            {row.kind !== 'more' && (
              <span className={classes.tools}>
                {row.path !== '' && (
                  <Tool
                    label={clipboard.copied && copied === `path ${row.id}` ? 'Copied' : 'Copy path (p)'}
                    onClick={() => copy(row, 'path')}
                    icon={<IconBraces size={13} />}
                  />
                )}
                <Tool
                  label={clipboard.copied && copied === `value ${row.id}` ? 'Copied' : 'Copy value (c)'}
                  onClick={() => copy(row, 'value')}
                  icon={<IconCopy size={13} />}
                />
              </span>
            )}
          </div>
        ))}
      </div>
      <div className={classes.announce} aria-live="polite">
        {clipboard.copied ? 'Copied' : ''}
      </div>
    </>
  )
}

/** Reached by mouse; the keys are on the row. */
function Tool({ label, onClick, icon }: { label: string; onClick: () => void; icon: React.ReactNode }) {
  return (
    <Tooltip label={label} openDelay={200}>
      <ActionIcon size={20} aria-label={label} tabIndex={-1} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}

interface RowContentProps {
  row: DataRow
  onToggle: () => void
  onPick: ((path: string) => void) | undefined
}

function RowContent({ row, onToggle, onPick }: RowContentProps) {
  if (row.kind === 'more')
    return (
      <button type="button" tabIndex={-1} className={classes.more} onClick={onToggle}>
        Show {Math.min(PAGE, row.count)} more of {row.count.toLocaleString('en')}
      </button>
    )
  const name = row.name !== null && (
    <>
      {onPick ? (
        <button type="button" tabIndex={-1} className={classes.pick} onClick={() => onPick(row.path)}>
          {row.name}
        </button>
      ) : (
        <span className={classes.name}>{row.name}</span>
      )}
      <span className={classes.colon}>:</span>
    </>
  )
  if (row.kind === 'leaf')
    return (
      <span className={classes.line}>
        <span className={classes.gap} />
        {name}
        <Leaf value={row.value} />
      </span>
    )
  const [start, end, noun] = row.kind === 'list' ? ['[', ']', 'item'] : ['{', '}', 'key']
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the tree item takes the keys
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree item takes the keys
    <span className={classes.line} data-toggle={row.count > 0 || undefined} onClick={row.count ? onToggle : undefined}>
      <span className={classes.gap}>
        {row.count > 0 && <IconChevronRight size={13} className={classes.chevron} data-open={row.open || undefined} />}
      </span>
      {name}
      <span className={classes.brackets}>
        {row.count === 0 ? `${start}${end}` : row.open ? start : `${start}…${end}`}
      </span>
      {row.count > 0 && <span className={classes.count}>{plural(row.count, noun)}</span>}
    </span>
  )
}

const CUT = 300
/** As much of one text as is put on the page; the rest is there to be copied. */
const MOST = 20_000

function Leaf({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false)
  if (typeof value !== 'string') return <span className={classes.plain}>{String(value)}</span>
  const shown = value.slice(0, whole ? MOST : CUT)
  return (
    <span className={classes.text}>
      {JSON.stringify(shown)}
      {value.length > shown.length && (
        <>
          <span className={classes.count}> cut, {formatBytes(value.length)}</span>
          {!whole && (
            <button type="button" tabIndex={-1} className={classes.more} onClick={() => setWhole(true)}>
              Show {value.length > MOST ? formatBytes(MOST) : 'all'}
            </button>
          )}
        </>
      )}
    </span>
  )
}

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
