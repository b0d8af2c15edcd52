// Finds steps on the canvas by what they are called and what they do.
import { ActionIcon, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useReactFlow } from '@xyflow/react'
import { type KeyboardEvent, type RefObject, useEffect, useId, useMemo, useState } from 'react'
import type { Layout } from '../../flow-model/layout.ts'
import { searchSteps } from '../../flow-model/search-steps.ts'
import { KindIcon } from '../../step-kinds/kind-icon.tsx'
import { plural } from '../../ui/format.ts'
import classes from './canvas.module.css'
import { useCanvas } from './canvas-context.tsx'

/** Ctrl or ⌘ with F, while the focus is on the canvas or nowhere: in a panel it is the browser's own search. */
export function useStepSearch(frame: RefObject<HTMLDivElement | null>) {
  const [opened, setOpened] = useState(false)
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const onCanvas = event.target === document.body || frame.current?.contains(event.target as Node)
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'f' || !onCanvas) return
      event.preventDefault()
      setOpened(true)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [frame])
  const close = () => {
    setOpened(false)
    frame.current?.querySelector<HTMLElement>('[data-card][tabindex="0"]')?.focus({ preventScroll: true })
  }
  return { opened, open: () => setOpened(true), close }
}

const MOST_SHOWN = 50
/** Below it a card cannot be read. */
const READABLE_ZOOM = 0.6

export function StepSearch({ layout, onClose }: { layout: Layout; onClose: () => void }) {
  const { document: flow, kinds, openStep } = useCanvas()
  const { getZoom, setCenter } = useReactFlow()
  const id = useId()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const found = useMemo(
    () => searchSteps(flow, query, (kind) => kinds.find((one) => one.kind === kind)?.label ?? kind),
    [flow, query, kinds],
  )
  const go = (index: number) => {
    const match = found[index]
    if (!match) return
    setActive(index)
    openStep(match.key)
    const box = layout.nodes.find((node) => node.type === 'step' && node.path === match.path)?.box
    if (box && getZoom() < READABLE_ZOOM)
      void setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom: READABLE_ZOOM })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter') go(active)
    else if (step !== undefined) go((active + step + found.length) % Math.max(1, found.length))
    else return
    event.preventDefault()
  }
  return (
    <div className={classes.search}>
      <div className={classes.searchHead}>
        <TextInput
          autoFocus
          size="xs"
          flex={1}
          value={query}
          placeholder="Find a step"
          aria-label="Find a step"
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls={id}
          aria-activedescendant={found[active] ? `${id}-${active}` : undefined}
          onChange={({ currentTarget }) => {
            setQuery(currentTarget.value)
            setActive(0)
          }}
          onKeyDown={onKeyDown}
        />
        <ActionIcon size="sm" aria-label="Close the search" onClick={onClose}>
          <IconX size={15} />
        </ActionIcon>
      </div>
      <div className={classes.searchCount} role="status">
        {query.trim() === ''
          ? 'By id, name, kind or setting'
          : found.length === 0
            ? 'No step'
            : plural(found.length, 'step')}
      </div>
      <div className={classes.kinds} role="listbox" id={id} aria-label="Steps that were found">
        {found.slice(0, MOST_SHOWN).map(({ path, step, line }, index) => (
          <button
            key={path}
            id={`${id}-${index}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className={classes.kind}
            data-active={index === active || undefined}
            onClick={() => go(index)}
          >
            <KindIcon kind={step.kind} size={16} />
            <span className={classes.found}>
              {step.id}
              <small>{line}</small>
            </span>
          </button>
        ))}
      </div>
    </div>
  )
}
