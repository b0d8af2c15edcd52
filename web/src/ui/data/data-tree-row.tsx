// One line of a tree of data.
import { ActionIcon, Tooltip } from '@mantine/core'
import { IconBraces, IconChevronRight, IconCopy } from '@tabler/icons-react'
import { memo, type ReactNode, useState } from 'react'
import { formatBytes, plural } from '../format.ts'
import { type DataRow, PAGE } from './data-rows.ts'
import classes from './data-tree.module.css'
import { FileChip } from './file-chip.tsx'
import { fileDataOf } from './file-data.ts'

export type RowPart = 'path' | 'value'

interface DataTreeRowProps {
  row: DataRow
  tabbable: boolean
  withTools: boolean
  /** What of it was just copied. */
  copied: RowPart | null
  onToggle: (row: DataRow) => void
  onCopy: (row: DataRow, part: RowPart) => void
}

/** Hundreds of them stand in a tree: each is drawn again only when it changes. */
export const DataTreeRow = memo(function DataTreeRow(props: DataTreeRowProps) {
  const { row, tabbable, withTools, copied, onToggle, onCopy } = props
  const isContainer = row.kind === 'object' || row.kind === 'list'
  return (
    <div
      className={classes.row}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={isContainer && row.count > 0 ? row.open : undefined}
      tabIndex={tabbable ? 0 : -1}
      data-id={row.id}
      style={{ paddingLeft: row.depth * 14 }}
    >
      <RowContent row={row} onToggle={() => onToggle(row)} />
      {withTools && row.kind !== 'more' && (
        <span className={classes.tools}>
          {row.path !== '' && (
            <Tool
              label={copied === 'path' ? 'Copied' : 'Copy path (p)'}
              onClick={() => onCopy(row, 'path')}
              icon={<IconBraces size={13} />}
            />
          )}
          <Tool
            label={copied === 'value' ? 'Copied' : 'Copy value (c)'}
            onClick={() => onCopy(row, 'value')}
            icon={<IconCopy size={13} />}
          />
        </span>
      )}
    </div>
  )
})

/** Reached by mouse; the keys are on the row. */
function Tool({ label, onClick, icon }: { label: string; onClick: () => void; icon: ReactNode }) {
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
}

function RowContent({ row, onToggle }: RowContentProps) {
  if (row.kind === 'more')
    return (
      <button type="button" tabIndex={-1} className={classes.more} onClick={onToggle}>
        Show {Math.min(PAGE, row.count)} more of {row.count.toLocaleString('en')}
      </button>
    )
  const name = row.name !== null && (
    <>
      <span className={classes.name}>{row.name}</span>
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
  const file = row.kind === 'object' ? fileDataOf(row.value) : null
  const [start, end, noun] = row.kind === 'list' ? ['[', ']', 'item'] : ['{', '}', 'key']
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the tree takes the keys
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys
    <span className={classes.line} data-toggle={row.count > 0 || undefined} onClick={row.count ? onToggle : undefined}>
      <span className={classes.gap}>
        {row.count > 0 && <IconChevronRight size={13} className={classes.chevron} data-open={row.open || undefined} />}
      </span>
      {name}
      <span className={classes.brackets}>
        {row.count === 0 ? `${start}${end}` : row.open ? start : `${start}…${end}`}
      </span>
      {file ? (
        <FileChip file={file} />
      ) : (
        row.count > 0 && <span className={classes.count}>{plural(row.count, noun)}</span>
      )}
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
