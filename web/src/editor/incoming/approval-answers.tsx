// What can be answered: 2 to 5 words or short sentences.
import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useField } from '../../fields/field-context.tsx'
import { FieldFrame, IssueNotes } from '../../fields/field-frame.tsx'
import classes from './incoming.module.css'

/** As in src/flow/callbacks/schema.ts. */
const DEFAULT_ANSWERS = ['approve', 'reject']
const FEWEST = 2
const MOST = 5

export function ApprovalAnswers({ path }: { path: string }) {
  const { value, set, issues, readOnly } = useField(path)
  const answers = Array.isArray(value) ? value.map(String) : DEFAULT_ANSWERS
  return (
    <FieldFrame label="Answers" description="a button each" issues={issues}>
      {answers.map((answer, index) => (
        <Answer
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer changes while it is typed
          key={index}
          path={`${path}/${index}`}
          name={`answer ${index + 1}`}
          value={answer}
          onChange={(typed) => set(answers.with(index, typed))}
          onRemove={answers.length > FEWEST && !readOnly ? () => set(answers.toSpliced(index, 1)) : null}
        />
      ))}
      {!readOnly && answers.length < MOST && (
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconPlus size={14} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => set([...answers, ''])}
        >
          Add answer
        </Button>
      )}
    </FieldFrame>
  )
}

interface AnswerProps {
  path: string
  name: string
  value: string
  onChange: (typed: string) => void
  /** Null while there are no more than there have to be. */
  onRemove: (() => void) | null
}

function Answer({ path, name, value, onChange, onRemove }: AnswerProps) {
  const { issues, readOnly } = useField(path)
  return (
    <>
      <div className={classes.answer}>
        <TextInput
          aria-label={`Text of ${name}`}
          value={value}
          maxLength={60}
          disabled={readOnly}
          error={issues.length > 0}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
        <ActionIcon aria-label={`Remove ${name}`} disabled={onRemove === null} onClick={() => onRemove?.()}>
          <IconTrash size={15} />
        </ActionIcon>
      </div>
      <IssueNotes issues={issues} />
    </>
  )
}
