// Settings with a few possible values.
import { NumberInput, SegmentedControl, Select, Switch, TagsInput, TextInput } from '@mantine/core'
import { useField, useFields } from './field-context.tsx'
import { FieldFrame, IssueNotes } from './field-frame.tsx'
import classes from './fields.module.css'

interface ChoiceProps {
  path: string
  label: string
  description?: string | undefined
  /** What the input is called where its label alone would not tell it from others. */
  inputLabel?: string
}

interface Option {
  value: string
  label: string
}

export function SelectField({
  path,
  label,
  inputLabel,
  description,
  options,
  fallback,
}: ChoiceProps & { options: Option[]; fallback?: string }) {
  const { value, set, issues, readOnly } = useField(path)
  return (
    <FieldFrame label={label} description={description} issues={issues}>
      <Select
        aria-label={inputLabel ?? label}
        data={options}
        value={typeof value === 'string' ? value : (fallback ?? null)}
        onChange={(chosen) => chosen !== null && set(chosen === fallback ? undefined : chosen)}
        disabled={readOnly}
        comboboxProps={{ withinPortal: true }}
      />
    </FieldFrame>
  )
}

export function SegmentField({
  path,
  label,
  description,
  options,
  fallback,
}: ChoiceProps & { options: Option[]; fallback?: string }) {
  const { value, set, issues, readOnly } = useField(path)
  return (
    <FieldFrame label={label} description={description} issues={issues}>
      <SegmentedControl
        aria-label={label}
        size="xs"
        data={options}
        value={typeof value === 'string' ? value : (fallback ?? '')}
        onChange={(chosen) => set(chosen === fallback ? undefined : chosen)}
        disabled={readOnly}
        style={{ alignSelf: 'flex-start' }}
      />
    </FieldFrame>
  )
}

/** `standard` is what holds while the setting is not there. */
export function SwitchField({ path, label, description, standard }: ChoiceProps & { standard: boolean }) {
  const { value, set, issues, readOnly } = useField(path)
  return (
    <div className={classes.field}>
      <Switch
        size="xs"
        label={label}
        description={description}
        checked={typeof value === 'boolean' ? value : standard}
        onChange={({ currentTarget }) => set(currentTarget.checked === standard ? undefined : currentTarget.checked)}
        disabled={readOnly}
      />
      <IssueNotes issues={issues} />
    </div>
  )
}

/** A number that cannot be a template. */
export function PlainNumberField({
  path,
  label,
  description,
  placeholder,
  suffix,
}: ChoiceProps & { placeholder?: string; suffix?: string }) {
  const { value, set, issues, readOnly } = useField(path)
  return (
    <FieldFrame label={label} description={description} issues={issues}>
      <NumberInput
        aria-label={label}
        value={typeof value === 'number' ? value : ''}
        placeholder={placeholder}
        suffix={suffix ? ` ${suffix}` : ''}
        hideControls
        disabled={readOnly}
        error={issues.some(({ warning }) => !warning)}
        onChange={(typed) => set(typeof typed === 'number' ? typed : undefined)}
      />
    </FieldFrame>
  )
}

export function PlainTextField({
  path,
  label,
  inputLabel,
  description,
  placeholder,
}: ChoiceProps & { placeholder?: string }) {
  const { value, set, issues, readOnly } = useField(path)
  return (
    <FieldFrame label={label} description={description} issues={issues}>
      <TextInput
        aria-label={inputLabel ?? label}
        value={typeof value === 'string' ? value : ''}
        placeholder={placeholder}
        disabled={readOnly}
        onChange={({ currentTarget }) => set(currentTarget.value === '' ? undefined : currentTarget.value)}
      />
    </FieldFrame>
  )
}

/** A list of short texts; empty, it is not there. */
export function TagsField({
  path,
  label,
  description,
  placeholder,
  suggestions = [],
  numbers = false,
}: ChoiceProps & { placeholder?: string; suggestions?: string[]; numbers?: boolean }) {
  const { value, set, readOnly, issues } = useField(path)
  const list = Array.isArray(value) ? value.map(String) : []
  const inside = useListIssues(path)
  return (
    <FieldFrame label={label} description={description} issues={[...issues, ...inside]}>
      <TagsInput
        aria-label={label}
        value={list}
        data={suggestions}
        placeholder={list.length ? '' : (placeholder ?? '')}
        disabled={readOnly}
        onChange={(items) =>
          set(items.length ? items.map((item) => (numbers && /^\d+$/.test(item) ? Number(item) : item)) : undefined)
        }
        comboboxProps={{ withinPortal: true }}
      />
    </FieldFrame>
  )
}

function useListIssues(path: string) {
  const { issues } = useFields()
  return issues.filter((issue) =>
    new RegExp(`^${path.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}/\\d+$`).test(issue.path),
  )
}
