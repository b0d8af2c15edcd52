// Names and values one below the other: headers, query parameters, form fields.
import { ActionIcon, Button, Group } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useField } from './field-context.tsx'
import { IssueNotes } from './field-frame.tsx'
import classes from './fields.module.css'
import { TemplateField } from './template-field.tsx'

interface NameValueListProps {
  path: string
  /** "header", "parameter", "field". */
  noun: string
  placeholder?: [name: string, value: string]
  /** An emptied list is removed. */
  optional?: boolean
  /** A value may be a file. */
  withFiles?: boolean
}

export function NameValueList({
  path,
  noun,
  placeholder = ['', ''],
  optional = true,
  withFiles = false,
}: NameValueListProps) {
  const { value, set, issues, readOnly } = useField(path)
  const pairs = Array.isArray(value) ? value : []
  const remove = (index: number) => {
    const left = pairs.toSpliced(index, 1)
    set(left.length === 0 && optional ? undefined : left)
  }
  return (
    <div className={classes.pairs}>
      {pairs.map((pair, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pair has nothing else that names it
        <div key={index} className={classes.pair}>
          <TemplateField
            bare
            quiet
            path={`${path}/${index}/name`}
            label={`Name of ${noun} ${index + 1}`}
            placeholder={placeholder[0]}
          />
          {isFileField(pair) ? (
            <TemplateField
              bare
              path={`${path}/${index}/file`}
              label={`File of ${noun} ${index + 1}`}
              placeholder="{{ webhook.files.invoice }}"
            />
          ) : (
            <TemplateField
              bare
              path={`${path}/${index}/value`}
              label={`Value of ${noun} ${index + 1}`}
              placeholder={placeholder[1]}
            />
          )}
          <ActionIcon aria-label={`Remove ${noun} ${index + 1}`} disabled={readOnly} onClick={() => remove(index)}>
            <IconTrash size={15} />
          </ActionIcon>
        </div>
      ))}
      <IssueNotes issues={issues} />
      {!readOnly && (
        <Group gap={4}>
          <AddButton onClick={() => set([...pairs, { name: '', value: '' }])}>Add {noun}</AddButton>
          {withFiles && <AddButton onClick={() => set([...pairs, { name: '', file: '' }])}>Add file</AddButton>}
        </Group>
      )}
    </div>
  )
}

const isFileField = (pair: unknown): boolean => typeof pair === 'object' && pair !== null && 'file' in pair

const AddButton = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
  <Button variant="subtle" size="xs" leftSection={<IconPlus size={14} />} onClick={onClick}>
    {children}
  </Button>
)
