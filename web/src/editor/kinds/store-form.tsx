import { SelectField } from '../../fields/choice-fields.tsx'
import { NumberField, TemplateField, ValueField } from '../../fields/template-field.tsx'
import type { KindFormProps } from './kind-form-props.ts'

const OPERATIONS = [
  { value: 'get', label: 'Get: read a key' },
  { value: 'set', label: 'Set: write a key' },
  { value: 'add', label: 'Add: write a key unless it exists' },
  { value: 'increment', label: 'Increment: add to a number' },
  { value: 'delete', label: 'Delete: remove a key' },
]

export function StoreForm({ place: { path, step } }: KindFormProps) {
  const writes = step['op'] !== 'get' && step['op'] !== 'delete'
  return (
    <>
      <SelectField path={`${path}/op`} label="Operation" options={OPERATIONS} />
      <TemplateField
        path={`${path}/key`}
        label="Key"
        description="keys are the flow's own"
        placeholder="{{ webhook.body.id }}"
      />
      {(writes || step['value'] !== undefined) && (
        <ValueField
          path={`${path}/value`}
          label={step['op'] === 'increment' ? 'By' : 'Value'}
          placeholder={step['op'] === 'increment' ? '1' : '{{ run.id }}'}
        />
      )}
      {(writes || step['ttl'] !== undefined) && (
        <NumberField path={`${path}/ttl`} label="Expires after" description="in seconds; if empty, never" />
      )}
    </>
  )
}
