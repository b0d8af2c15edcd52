// The data that a field can refer to, as trees: a click writes the reference into the field.
import { ActionIcon, Popover, Text } from '@mantine/core'
import { IconBraces } from '@tabler/icons-react'
import { useState } from 'react'
import { DataTree } from '../ui/data/data-tree.tsx'
import { usePreviewContext } from './field-context.tsx'
import classes from './fields.module.css'

interface DataPickerProps {
  path: string
  label: string
  onPick: (reference: string) => void
}

export function DataPicker({ path, label, onPick }: DataPickerProps) {
  const [opened, setOpened] = useState(false)
  const button = (
    <ActionIcon
      size={22}
      className={classes.pick}
      data-open={opened || undefined}
      title="Insert data"
      aria-label={`Insert data into ${label}`}
      onClick={() => setOpened(!opened)}
    >
      <IconBraces size={14} />
    </ActionIcon>
  )
  // The list is made only where it is asked for: every field has one.
  if (!opened) return button
  return (
    <Popover opened onChange={setOpened} position="bottom-end" width={380} trapFocus withinPortal>
      <Popover.Target>{button}</Popover.Target>
      <Popover.Dropdown className={classes.dropdown} aria-label={`Data for ${label}`}>
        <PickList
          path={path}
          onPick={(reference) => {
            setOpened(false)
            onPick(reference)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

function PickList({ path, onPick }: { path: string; onPick: (reference: string) => void }) {
  const { visible, bindings, data } = usePreviewContext(path)
  const steps = (bindings.roots['steps'] ?? {}) as Record<string, unknown>
  const tested = visible.steps.filter(({ id }) => Object.hasOwn(steps, id))
  const untested = visible.steps.filter(({ id }) => !Object.hasOwn(steps, id))
  const trees: [name: string, value: unknown][] = [
    ...(bindings.roots['webhook'] ? [['webhook', bindings.roots['webhook']] as [string, unknown]] : []),
    ...(bindings.roots['loop'] ? [['loop', bindings.roots['loop']] as [string, unknown]] : []),
    ...tested.map(({ id }): [string, unknown] => [`steps.${id}`, steps[id]]),
    ...(visible.vars.length ? [['vars', bindings.roots['vars']] as [string, unknown]] : []),
    ...(visible.roots.includes('run') ? [['run', bindings.roots['run']] as [string, unknown]] : []),
  ]
  const names = [
    ...(visible.roots.includes('env') ? data.env.map((name) => `env.${name}`) : []),
    ...(visible.roots.includes('connections')
      ? data.connections.flatMap(({ name, fields }) => fields.map((field) => `connections.${name}.${field}`))
      : []),
  ]
  return (
    <>
      {data.webhook == null && visible.roots.includes('webhook') && (
        <Text size="xs" c="dimmed" mb={8}>
          There is no test request yet. Send one from the trigger, and its data appears here.
        </Text>
      )}
      {trees.map(([name, value]) => (
        <div key={name} className={classes.group}>
          <div className={classes.groupName}>{name}</div>
          <DataTree value={value} path={name} label={name} withRaw={false} onPick={onPick} />
        </div>
      ))}
      {names.length > 0 && (
        <div className={classes.group}>
          <div className={classes.groupName}>Secrets</div>
          <div className={classes.names}>
            {names.map((name) => (
              <button key={name} type="button" className={classes.name} onClick={() => onPick(name)}>
                {name}
              </button>
            ))}
          </div>
        </div>
      )}
      {untested.length > 0 && (
        <Text size="xs" c="dimmed">
          Test {untested.map(({ id }) => id).join(', ')} to see what {untested.length === 1 ? 'it gives' : 'they give'}.
        </Text>
      )}
    </>
  )
}
