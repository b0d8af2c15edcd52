// An object of names and values, one below the other and kept in their order: variables, labels.
import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { pointer } from '../../../src/flow/issue.ts'
import { useField } from './field-context.tsx'
import { IssueNotes } from './field-frame.tsx'
import classes from './fields.module.css'

interface NamedValuesProps {
  path: string
  /** "variable", "label". */
  noun: string
  /** What a new one is called, with a number behind it. */
  newName: string
  /** As many may be there. */
  most?: number
  /** An emptied object is removed. */
  optional?: boolean
  /** The field of the value with this name, at its JSON Pointer. */
  value: (name: string, path: string) => ReactNode
}

export function NamedValues({ path, noun, newName, most, optional = false, value: field }: NamedValuesProps) {
  const { value, set, issues, readOnly } = useField(path)
  const values = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const names = Object.keys(values)
  const rename = (before: string, after: string) => {
    if (after === before || after === '' || Object.hasOwn(values, after)) return
    set(Object.fromEntries(Object.entries(values).map(([name, item]) => [name === before ? after : name, item])))
  }
  const add = () => {
    let number = names.length + 1
    while (Object.hasOwn(values, `${newName}_${number}`)) number++
    set({ ...values, [`${newName}_${number}`]: '' })
  }
  const remove = (gone: string) => {
    const left = Object.entries(values).filter(([name]) => name !== gone)
    set(left.length === 0 && optional ? undefined : Object.fromEntries(left))
  }
  return (
    <div className={classes.pairs}>
      {names.map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while it is typed
        <div key={index} className={classes.pair}>
          <NameInput
            name={name}
            noun={noun}
            isNew={name.startsWith(`${newName}_`)}
            readOnly={readOnly}
            onRename={(after) => rename(name, after)}
            taken={names}
          />
          {field(name, pointer(path, name))}
          <ActionIcon aria-label={`Remove ${name}`} disabled={readOnly} onClick={() => remove(name)}>
            <IconTrash size={15} />
          </ActionIcon>
        </div>
      ))}
      <IssueNotes issues={issues} />
      {!readOnly && (most === undefined || names.length < most) && (
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconPlus size={14} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={add}
        >
          Add {noun}
        </Button>
      )}
    </div>
  )
}

interface NameInputProps {
  name: string
  noun: string
  /** It was made up, to be replaced. */
  isNew: boolean
  readOnly: boolean
  taken: string[]
  onRename: (name: string) => void
}

function NameInput({ name, noun, isNew, readOnly, taken, onRename }: NameInputProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? name
  const isTaken = text !== name && taken.includes(text)
  return (
    <TextInput
      aria-label={`Name of ${noun} ${name}`}
      value={text}
      readOnly={readOnly}
      spellCheck={false}
      error={isTaken ? 'This name is there already.' : undefined}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
      onFocus={({ currentTarget }) => isNew && currentTarget.select()}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={() => {
        setTyped(null)
        if (!isTaken) onRename(text.trim())
      }}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
    />
  )
}
