// Variables: a name and a value each, kept in their order.
import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { pointer } from '../../../../src/flow/issue.ts'
import { useField } from '../../fields/field-context.tsx'
import { IssueNotes } from '../../fields/field-frame.tsx'
import fieldClasses from '../../fields/fields.module.css'
import { ValueField } from '../../fields/template-field.tsx'
import type { KindFormProps } from './kind-form-props.ts'

export function SetForm({ place: { path } }: KindFormProps) {
  const { value, set, issues, readOnly } = useField(`${path}/vars`)
  const vars = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const names = Object.keys(vars)
  const rename = (before: string, after: string) => {
    if (after === before || after === '' || Object.hasOwn(vars, after)) return
    set(Object.fromEntries(Object.entries(vars).map(([name, item]) => [name === before ? after : name, item])))
  }
  const add = () => {
    let number = names.length + 1
    while (Object.hasOwn(vars, `name_${number}`)) number++
    set({ ...vars, [`name_${number}`]: '' })
  }
  return (
    <div className={fieldClasses.pairs}>
      {names.map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while it is typed
        <div key={index} className={fieldClasses.pair}>
          <VariableName name={name} readOnly={readOnly} onRename={(after) => rename(name, after)} taken={names} />
          <ValueField
            bare
            path={pointer(`${path}/vars`, name)}
            label={`Value of ${name}`}
            placeholder="{{ steps.order.body.total }}"
            required
          />
          <ActionIcon
            aria-label={`Remove ${name}`}
            disabled={readOnly}
            onClick={() => set(Object.fromEntries(Object.entries(vars).filter(([key]) => key !== name)))}
          >
            <IconTrash size={15} />
          </ActionIcon>
        </div>
      ))}
      <IssueNotes issues={issues} />
      {!readOnly && (
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconPlus size={14} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={add}
        >
          Add variable
        </Button>
      )}
    </div>
  )
}

interface VariableNameProps {
  name: string
  readOnly: boolean
  taken: string[]
  onRename: (name: string) => void
}

function VariableName({ name, readOnly, taken, onRename }: VariableNameProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? name
  const isTaken = text !== name && taken.includes(text)
  return (
    <TextInput
      aria-label={`Name of variable ${name}`}
      value={text}
      readOnly={readOnly}
      spellCheck={false}
      error={isTaken ? 'This name is there already.' : undefined}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
      onFocus={({ currentTarget }) => /^name_\d+$/.test(name) && currentTarget.select()}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={() => {
        setTyped(null)
        if (!isTaken) onRename(text.trim())
      }}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
    />
  )
}
