// The data that a field can refer to: a click on a row writes its reference into the field.
import { Text, TextInput } from '@mantine/core'
import { IconChevronRight, IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { usePreviewContext } from './field-context.tsx'
import classes from './pick-list.module.css'
import { type PickRoot, type PickRow, pickRows, searchPickRows } from './pick-rows.ts'

interface PickListProps {
  path: string
  label: string
  /** The beginning of a reference in the field. */
  written: string
  onPick: (reference: string) => void
}

export function PickList({ path, label, written, onPick }: PickListProps) {
  const { roots, names, untested, awaitsSample } = usePickData(path)
  const [query, setQuery] = useState('')
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  const wanted = query.trim()
  const rows = useMemo(() => {
    if (wanted !== '') return searchPickRows(roots, wanted)
    // What begins nothing that there is may be a function: then all data stays in sight.
    const begun = written === '' ? [] : searchPickRows(roots, written)
    return begun.length > 0 ? begun : pickRows(roots, toggled)
  }, [roots, toggled, wanted, written])
  const secrets = names.filter((name) => name.toLowerCase().includes(wanted.toLowerCase()))
  const tree = useRef<HTMLDivElement>(null)
  return (
    <>
      <TextInput
        size="xs"
        className={classes.search}
        data-pick-search
        leftSection={<IconSearch size={13} />}
        value={query}
        placeholder="Search by name or value"
        aria-label={`Search the data for ${label}`}
        onChange={({ currentTarget }) => setQuery(currentTarget.value)}
        onKeyDown={(event) => {
          const first = rows.find((row) => row.path !== null)?.path
          if (event.key === 'Enter' && wanted !== '' && first) onPick(first)
          else if (event.key === 'ArrowDown') tree.current?.querySelector<HTMLElement>('[role=treeitem]')?.focus()
          else return
          event.preventDefault()
        }}
      />
      {awaitsSample && (
        <Text size="xs" c="dimmed" mb={8}>
          There is no test request yet. Send one from the trigger, and its data appears here.
        </Text>
      )}
      {rows.length > 0 && (
        <div ref={tree} className={classes.tree} role="tree" aria-label={`Data for ${label}`}>
          {rows.map((row, index) => (
            <Row
              key={row.id}
              row={row}
              tabbable={index === 0}
              onPick={onPick}
              onToggle={(open) => setToggled((all) => new Map(all).set(row.id, open))}
            />
          ))}
        </div>
      )}
      {wanted !== '' && rows.length + secrets.length === 0 && (
        <Text size="xs" c="dimmed" mb={8}>
          Nothing matches.
        </Text>
      )}
      {secrets.length > 0 && (
        <>
          <div className={classes.groupName}>Secrets</div>
          <div className={classes.names}>
            {secrets.map((name) => (
              <button key={name} type="button" className={classes.name} onClick={() => onPick(name)}>
                {name}
              </button>
            ))}
          </div>
        </>
      )}
      {untested.length > 0 && (
        <Text size="xs" c="dimmed">
          Test {untested.join(', ')} to see what {untested.length === 1 ? 'it gives' : 'they give'}.
        </Text>
      )}
    </>
  )
}

interface RowProps {
  row: PickRow
  tabbable: boolean
  onPick: (reference: string) => void
  onToggle: (open: boolean) => void
}

function Row({ row, tabbable, onPick, onToggle }: RowProps) {
  const { path, opens, open } = row
  const choose = () => {
    if (path !== null) onPick(path)
    else onToggle(!open)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { currentTarget: here, key } = event
    const siblings = [...here.parentElement!.querySelectorAll<HTMLElement>('[role=treeitem]')]
    const at = siblings.indexOf(here)
    if (key === 'ArrowDown') siblings[at + 1]?.focus()
    else if (key === 'ArrowUp' && at > 0) siblings[at - 1]!.focus()
    else if (key === 'ArrowRight' && opens && !open) onToggle(true)
    else if (key === 'ArrowLeft' && open) onToggle(false)
    else if (key === 'Enter' || key === ' ') choose()
    else return
    event.preventDefault()
  }
  return (
    <div
      className={classes.row}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-expanded={opens ? open : undefined}
      tabIndex={tabbable ? 0 : -1}
      data-path={path ?? undefined}
      title={path ?? undefined}
      style={{ paddingLeft: 4 + row.depth * 14 }}
      onClick={choose}
      onKeyDown={onKeyDown}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys open the row */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys open the row */}
      <span
        className={classes.chevron}
        data-open={open || undefined}
        onClick={(event) => {
          if (!opens) return
          event.stopPropagation()
          onToggle(!open)
        }}
      >
        {opens && <IconChevronRight size={13} aria-hidden="true" />}
      </span>
      <span className={classes.key}>{row.name}</span>
      <span className={classes.value}>{row.shown}</span>
    </div>
  )
}

/** What the field may refer to, as publishing will judge it. */
export function usePickData(path: string) {
  const { visible, bindings, data } = usePreviewContext(path)
  return useMemo(() => {
    const steps = (bindings.roots['steps'] ?? {}) as Record<string, unknown>
    const named = (name: string): PickRoot[] =>
      visible.roots.includes(name) && bindings.roots[name] ? [{ path: name, value: bindings.roots[name] }] : []
    const tested = visible.steps.filter(({ id }) => Object.hasOwn(steps, id))
    const roots: PickRoot[] = [
      ...(data.webhook == null ? [] : named('webhook')),
      ...named('schedule'),
      ...named('input'),
      ...named('error'),
      ...named('failed'),
      ...named('loop'),
      ...named('callback'),
      ...named('callbacks'),
      ...tested.map(({ id }) => ({ path: `steps.${id}`, value: steps[id] })),
      ...(visible.vars.length ? named('vars') : []),
      ...(Object.keys(data.config).length ? named('config') : []),
      ...named('run'),
    ]
    const names = [
      ...(visible.roots.includes('env') ? data.env.map((name) => `env.${name}`) : []),
      ...(visible.roots.includes('connections')
        ? data.connections.flatMap(({ name, fields }) => fields.map((field) => `connections.${name}.${field}`))
        : []),
    ]
    return {
      roots,
      names,
      untested: visible.steps.filter(({ id }) => !Object.hasOwn(steps, id)).map(({ id }) => id),
      awaitsSample: data.webhook == null && visible.roots.includes('webhook'),
      /** There is something to pick that one does not know by heart. */
      hasData:
        (data.webhook != null && visible.roots.includes('webhook')) ||
        visible.roots.includes('schedule') ||
        (visible.roots.includes('config') && Object.keys(data.config).length > 0) ||
        visible.roots.includes('failed') ||
        visible.roots.includes('callback') ||
        visible.callbacks.length > 0 ||
        (visible.roots.includes('input') && Boolean(bindings.roots['input'])) ||
        tested.length > 0,
    }
  }, [visible, bindings, data])
}
