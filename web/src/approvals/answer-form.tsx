// The fields of an approval, and a button per answer.
import { Button, Group, NumberInput, Stack, Switch, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { Approval } from '../api/api-types.ts'
import { useMay } from '../api/session.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { useAnswer } from './use-answer.ts'

type Field = Approval['fields'][number]

const LONGEST_TEXT = 10_000

interface AnswerFormProps {
  approval: Pick<Approval, 'id' | 'run' | 'answers' | 'fields'>
  onAnswered?: () => void
}

export function AnswerForm({ approval, onAnswered }: AnswerFormProps) {
  const { answers, fields } = approval
  const [values, setValues] = useState<ReadonlyMap<string, unknown>>(new Map())
  const [tried, setTried] = useState(false)
  const answer = useAnswer(approval, onAnswered)
  const mayAnswer = useMay('approvals')
  const typed = ({ name, type }: Field) => values.get(name) ?? (type === 'boolean' ? false : null)
  const given = (field: Field) => (field.type === 'number' ? numberOf(typed(field)) : typed(field))
  const isMissing = (field: Field) => field.required && (given(field) === null || given(field) === '')
  const give = (chosen: string) => {
    setTried(true)
    if (fields.some(isMissing)) return
    answer.mutate({
      answer: chosen,
      fields: Object.fromEntries(fields.map((field) => [field.name, given(field)])),
    })
  }
  if (!mayAnswer)
    return (
      <Text size="sm" c="dimmed">
        You may read. Answering needs the role editor.
      </Text>
    )
  return (
    <Stack gap="sm">
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={typed(field)}
          error={tried && isMissing(field) ? 'Please fill this in.' : null}
          onChange={(value) => setValues((before) => new Map(before).set(field.name, value))}
        />
      ))}
      {answer.isError && <ErrorNote title="The answer was not taken" error={answer.error} />}
      <Group gap="xs">
        {answers.map((one, index) => (
          <Button
            key={one}
            variant={index === 0 ? 'filled' : 'default'}
            loading={answer.isPending && answer.variables.answer === one}
            disabled={answer.isPending}
            onClick={() => give(one)}
          >
            {one}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}

/** What is typed on the way to a number, such as `1.`, stays as it is until it is sent. */
function numberOf(typed: unknown): number | null {
  const number = typed === null || typed === '' ? Number.NaN : Number(typed)
  return Number.isNaN(number) ? null : number
}

interface FieldInputProps {
  field: Field
  value: unknown
  error: string | null
  onChange: (value: unknown) => void
}

function FieldInput({ field: { label, type, required }, value, error, onChange }: FieldInputProps) {
  if (type === 'boolean')
    return (
      <Switch
        label={label}
        checked={value === true}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    )
  if (type === 'number')
    return (
      <NumberInput
        label={label}
        required={required}
        hideControls
        value={typeof value === 'number' || typeof value === 'string' ? value : ''}
        error={error}
        onChange={onChange}
      />
    )
  return (
    <Textarea
      label={label}
      required={required}
      autosize
      minRows={1}
      maxRows={8}
      maxLength={LONGEST_TEXT}
      value={typeof value === 'string' ? value : ''}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
