// A filter by labels, each of which counts once it is entered.
import { Button, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { type LabelFilter, labelFilter, labelOf, labelsOf, labelText } from '../api/label-filter.ts'

interface LabelInputProps {
  filter: LabelFilter | undefined
  onChange: (filter: LabelFilter | undefined) => void
}

/** Another filter is another list, which is drawn anew: who has entered one label may go on with the next. */
let goesOn = false

export function LabelInput({ filter, onChange }: LabelInputProps) {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const isWrong = text.trim() !== '' && !labelOf(text)
  const labels = labelsOf(filter).map(([name, value]) => labelText(name, value))
  useEffect(() => {
    if (goesOn && filter !== undefined) input.current?.focus()
    goesOn = false
  }, [filter])
  const enter = () => {
    if (isWrong || text.trim() === '') return
    setText('')
    if (labels.includes(text.trim())) return
    onChange(labelFilter([...labels, text]))
  }
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          goesOn = !isWrong && !labels.includes(text.trim())
          enter()
        }}
      >
        <TextInput
          ref={input}
          aria-label="Label"
          size="xs"
          w={{ base: '100%', xs: 168 }}
          maxLength={265}
          placeholder={labels.length ? 'Another label' : 'Label, such as order=7'}
          value={text}
          error={isWrong}
          title={isWrong ? 'Write name=value, such as order=7' : undefined}
          onChange={(event) => setText(event.currentTarget.value)}
          onBlur={enter}
        />
      </form>
      {labels.map((label) => (
        <Button
          key={label}
          size="xs"
          variant="light"
          maw={240}
          rightSection={<IconX size={13} aria-hidden="true" />}
          aria-label={`Remove the label ${label}`}
          title={label}
          onClick={() => onChange(labelFilter(labels.filter((other) => other !== label)))}
        >
          {label}
        </Button>
      ))}
    </>
  )
}
