// Names and values one below the other: headers, query parameters, form fields.
import { ActionIcon, Button } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
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
}

export function NameValueList({ path, noun, placeholder = ['', ''], optional = true }: NameValueListProps) {
  const { value, set, issues, readOnly } = useField(path)
  const pairs = Array.isArray(value) ? value : []
  const remove = (index: number) => {
    const left = pairs.toSpliced(index, 1)
    set(left.length === 0 && optional ? undefined : left)
  }
  return (
    <div className={classes.pairs}>
      {pairs.map((_pair, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pair has nothing else that names it
        <div key={index} className={classes.pair}>
          <TemplateField
            bare
            quiet
            path={`${path}/${index}/name`}
            label={`Name of ${noun} ${index + 1}`}
            placeholder={placeholder[0]}
          />
          <TemplateField
            bare
            path={`${path}/${index}/value`}
            label={`Value of ${noun} ${index + 1}`}
            placeholder={placeholder[1]}
          />
          <ActionIcon aria-label={`Remove ${noun} ${index + 1}`} disabled={readOnly} onClick={() => remove(index)}>
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
          onClick={() => set([...pairs, { name: '', value: '' }])}
        >
          Add {noun}
        </Button>
      )}
    </div>
  )
}
