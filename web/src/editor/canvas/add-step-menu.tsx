// The menu of step kinds: type to find one, Enter to add it.
import { Select, TextInput } from '@mantine/core'
import { type KeyboardEvent, useId, useState } from 'react'
import { describeCase } from '../../flow-model/describe-step.ts'
import { nestedLists, type Position, stepAt, valueAt } from '../../flow-model/flow-tree.ts'
import { stepKind } from '../../step-kinds/index.ts'
import { KindIcon } from '../../step-kinds/kind-icon.tsx'
import { useEditor } from '../state/editor-context.tsx'
import { useEdits } from '../state/use-edits.ts'
import classes from './canvas.module.css'

export function AddStepMenu({ position }: { position: Position }) {
  const { kinds, document, setAdding } = useEditor()
  const edits = useEdits()
  const id = useId()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const words = query.toLowerCase().trim()
  const found = kinds.filter(({ kind, label }) =>
    `${kind} ${label} ${stepKind(kind).purpose}`.toLowerCase().includes(words),
  )
  const add = (kind: string | undefined) => {
    if (kind === undefined) return
    setAdding(null)
    edits.add(position, kind)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setActive((active + step + found.length) % Math.max(1, found.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      add(found[active]?.kind)
    }
  }
  return (
    <>
      <TextInput
        data-autofocus
        value={query}
        placeholder="Which step?"
        aria-label="Which step?"
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={found[active] ? `${id}-${found[active].kind}` : undefined}
        onChange={({ currentTarget }) => {
          setQuery(currentTarget.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <Places position={position} document={document} onChange={setAdding} />
      <div className={classes.kinds} role="listbox" id={id} aria-label="Step kinds">
        {found.map(({ kind, label }, index) => (
          <button
            key={kind}
            id={`${id}-${kind}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className={classes.kind}
            data-active={index === active || undefined}
            onMouseEnter={() => setActive(index)}
            onClick={() => add(kind)}
          >
            <KindIcon kind={kind} size={17} />
            <span>
              {label}
              <small>{stepKind(kind).purpose}</small>
            </span>
          </button>
        ))}
      </div>
    </>
  )
}

interface PlacesProps {
  position: Position
  document: ReturnType<typeof useEditor>['document']
  onChange: (position: Position) => void
}

/** After a branch or loop one may also mean inside it: the places to choose from, for those without a mouse above all. */
function Places({ position: { list, index }, document, onChange }: PlacesProps) {
  const above = index > 0 ? stepAt(document, `${list}/${index - 1}`) : undefined
  const inside = /^(.*)(\/(?:cases|branches)\/\d+\/steps|\/otherwise|\/steps)$/.exec(list)
  const around = inside?.[1] ? stepAt(document, inside[1]) : undefined
  const base = above && nestedLists(above.step).length ? above : index === 0 ? around : undefined
  if (!base) return null
  const options = [
    ...nestedLists(base.step).map((nested) => ({
      value: JSON.stringify({ list: base.path + nested.key, index: 0 }),
      label:
        nested.role === 'body'
          ? `First in ${base.step.id}`
          : nested.role === 'otherwise'
            ? `Otherwise in ${base.step.id}`
            : nested.role === 'lane'
              ? `First in ${nested.name} of ${base.step.id}`
              : `When ${describeCase(base.step, nested.index)}`,
    })),
    { value: JSON.stringify({ list: base.list, index: base.index + 1 }), label: `After ${base.step.id}` },
  ]
  const lengths = valueAt(document, list)
  const here = JSON.stringify({ list, index: Array.isArray(lengths) ? index : 0 })
  return (
    <Select
      mt={6}
      size="xs"
      aria-label="Where"
      data={options}
      value={options.some(({ value }) => value === here) ? here : null}
      onChange={(chosen) => chosen && onChange(JSON.parse(chosen) as Position)}
      comboboxProps={{ withinPortal: false }}
    />
  )
}
