import { CloseButton, TextInput } from '@mantine/core'
import { useState } from 'react'
import { labelOf, labelText } from '../api/label-filter.ts'

interface LabelInputProps {
  label: string | undefined
  onChange: (label: string | undefined) => void
}

/** A filter by one label, which counts once it is entered. */
export function LabelInput({ label, onChange }: LabelInputProps) {
  const [text, setText] = useState(label ?? '')
  const given = labelOf(text)
  const isWrong = text.trim() !== '' && !given
  const enter = () => {
    const next = given ? labelText(...given) : undefined
    if (!isWrong && next !== label) onChange(next)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        enter()
      }}
    >
      <TextInput
        aria-label="Label"
        size="xs"
        w={{ base: '100%', xs: 168 }}
        maxLength={265}
        placeholder="Label, such as order=7"
        value={text}
        error={isWrong}
        title={isWrong ? 'Write name=value, such as order=7' : undefined}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={enter}
        rightSection={
          text !== '' && (
            <CloseButton
              size="xs"
              aria-label="Remove the label"
              onClick={() => {
                setText('')
                onChange(undefined)
              }}
            />
          )
        }
      />
    </form>
  )
}
