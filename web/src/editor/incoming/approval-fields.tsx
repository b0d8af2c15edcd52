// What whoever answers can fill in, or has to.
import { Button, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { PlainTextField, SelectField, SwitchField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { ListTools } from '../panel/list-tools.tsx'
import panel from '../panel/panel.module.css'

const MOST = 20

const TYPES = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'Yes/no' },
]

export function ApprovalFields({ path }: { path: string }) {
  const { value, set, issues, readOnly } = useField(path)
  const fields: unknown[] = Array.isArray(value) ? value : []
  return (
    <FieldFrame label="Fields" description="what else is asked" issues={issues}>
      {fields.map((_field, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name changes while it is typed
        <div key={index} className={panel.case}>
          <div className={panel.caseHead}>
            <Text size="xs" c="dimmed">
              Field {index + 1}
            </Text>
            <ListTools
              name={`field ${index + 1}`}
              along=""
              list={fields}
              index={index}
              fewest={0}
              readOnly={readOnly}
              onChange={(left) => set(left.length ? left : undefined)}
            />
          </div>
          <div className={panel.two}>
            <PlainTextField
              path={`${path}/${index}/name`}
              label="Name"
              inputLabel={`Name of field ${index + 1}`}
              placeholder="reason"
            />
            <SelectField
              path={`${path}/${index}/type`}
              label="Type"
              inputLabel={`Type of field ${index + 1}`}
              options={TYPES}
              fallback="text"
            />
          </div>
          <PlainTextField
            path={`${path}/${index}/label`}
            label="Label"
            inputLabel={`Label of field ${index + 1}`}
            description="what people read; the name if it is empty"
            placeholder="Why"
          />
          <SwitchField path={`${path}/${index}/required`} label="Has to be filled in" standard={false} />
        </div>
      ))}
      {!readOnly && fields.length < MOST && (
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconPlus size={14} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => set([...fields, { name: '' }])}
        >
          Add field
        </Button>
      )}
    </FieldFrame>
  )
}
