// The fields of an input, made from the JSON Schema of the flow; without one, JSON as a whole.
import { Input, NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core'
import type { InputField, TypedInput } from '../../flow-model/input/input-schema.ts'
import { CodeEditor } from '../../ui/code/code-editor.tsx'

/** What is wrong with an input, by the name of its field; '' for the whole. */
export type InputFaults = Readonly<Record<string, string>>

interface InputFormProps {
  fields: readonly InputField[]
  typed: TypedInput
  onChange: (typed: TypedInput) => void
  faults: InputFaults
}

export function InputForm({ fields, typed, onChange, faults }: InputFormProps) {
  return (
    <Stack gap="sm">
      {fields.map((field) => (
        <OneField
          key={field.name}
          field={field}
          value={Object.hasOwn(typed, field.name) ? typed[field.name] : undefined}
          onChange={(value) => onChange({ ...typed, [field.name]: value })}
          fault={faults[field.name]}
        />
      ))}
    </Stack>
  )
}

interface OneFieldProps {
  field: InputField
  value: unknown
  onChange: (value: unknown) => void
  fault: string | undefined
}

function OneField({ field, value, onChange, fault }: OneFieldProps) {
  const { label, description, required, kind, choices, standard } = field
  const shared = { label, description, required, error: fault }
  const placeholder = standard === undefined ? '' : textOf(standard)
  switch (kind) {
    case 'choice':
      return (
        <Select
          {...shared}
          data={choices.map((choice, i) => ({ value: String(i), label: textOf(choice) }))}
          value={value === undefined ? null : String(choices.indexOf(value))}
          placeholder={placeholder || 'Choose'}
          clearable={!required}
          onChange={(chosen) => onChange(chosen === null ? undefined : choices[Number(chosen)])}
        />
      )
    case 'number':
      return (
        <NumberInput
          {...shared}
          value={typeof value === 'number' ? value : ''}
          placeholder={placeholder}
          allowDecimal={!field.whole}
          hideControls
          onChange={(typed) => onChange(typeof typed === 'number' ? typed : undefined)}
        />
      )
    case 'switch':
      return (
        <Switch
          label={label}
          description={description}
          error={fault}
          checked={typeof value === 'boolean' ? value : standard === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      )
    case 'json':
      return <JsonField {...shared} value={typeof value === 'string' ? value : ''} onChange={onChange} />
    default:
      return (
        <TextInput
          {...shared}
          value={typeof value === 'string' ? value : ''}
          placeholder={placeholder}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )
  }
}

interface JsonFieldProps {
  label: string
  description?: string | null
  required?: boolean
  error?: string | undefined
  value: string
  onChange: (text: string) => void
}

export function JsonField({ label, description, required, error, value, onChange }: JsonFieldProps) {
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={description ?? 'JSON'}
      required={required}
      error={error}
      inputWrapperOrder={['label', 'description', 'input', 'error']}
    >
      <CodeEditor
        value={value}
        onChange={onChange}
        mode="json"
        label={label}
        minHeight={60}
        maxHeight={260}
        lineNumbers={false}
      />
    </Input.Wrapper>
  )
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
