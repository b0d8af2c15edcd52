// A time: a number in a unit of choice, or a template that gives seconds.
import { Select } from '@mantine/core'
import { useMemo, useState } from 'react'
import { preview } from '../flow-model/templates/preview.ts'
import { useField, usePreviewContext } from './field-context.tsx'
import { FieldFrame } from './field-frame.tsx'
import { FieldPreview } from './field-preview.tsx'
import classes from './fields.module.css'
import { TemplateInput } from './template-input.tsx'
import { inUnit, TIME_UNITS, type TimeUnit, toSeconds, unitOf } from './time-units.ts'
import { textToNumber } from './value-text.ts'

interface DurationFieldProps {
  path: string
  label: string
  placeholder?: string
  /** How many seconds it is while nothing is set. */
  standard?: number
}

export function DurationField({ path, label, placeholder, standard }: DurationFieldProps) {
  const { value, set, issues, readOnly } = useField(path)
  const context = usePreviewContext(path)
  const [chosen, setChosen] = useState<TimeUnit | null>(null)
  const [typed, setTyped] = useState<{ text: string; gives: unknown } | null>(null)
  const seconds = typeof value === 'number' ? value : null
  // An undo may bring back a time that the chosen unit cannot say.
  const unit =
    chosen !== null && (seconds === null || inUnit(seconds, chosen) !== null)
      ? chosen
      : unitOf(seconds ?? standard ?? 0)
  const stored = seconds === null ? (typeof value === 'string' ? value : '') : String(inUnit(seconds, unit))
  const text = typed && Object.is(typed.gives, value) ? typed.text : stored
  const isTemplate = text.includes('{{')
  const error = textToNumber(text) === null ? 'A number, or a {{ template }} that gives seconds.' : null
  const shown = useMemo(() => preview(isTemplate ? text : '', 'value', context), [isTemplate, text, context])
  const take = (given: string) => {
    const read = textToNumber(given)
    const gives = typeof read === 'number' ? toSeconds(read, unit) : read === null ? value : read
    setChosen(unit)
    setTyped({ text: given, gives })
    if (read !== null) set(gives)
  }
  return (
    <FieldFrame
      label={label}
      issues={error === null ? issues : [{ path, code: 'number', message: error, warning: false }]}
    >
      <div className={classes.withUnit}>
        <TemplateInput
          path={path}
          value={text}
          label={label}
          placeholder={standard === undefined ? placeholder : String(inUnit(standard, unit) ?? '')}
          readOnly={readOnly}
          invalid={error !== null || issues.some(({ warning }) => !warning)}
          onChange={take}
        />
        <Select
          aria-label="Unit"
          data={TIME_UNITS.map(({ value: name }) => name)}
          value={isTemplate ? 'seconds' : unit}
          disabled={readOnly || isTemplate}
          onChange={(next) => {
            const amount = textToNumber(text)
            setChosen(next as TimeUnit)
            setTyped(null)
            if (typeof amount === 'number') set(toSeconds(amount, next as TimeUnit))
          }}
          comboboxProps={{ withinPortal: true }}
          styles={{ wrapper: { height: '100%' }, input: { height: '100%' } }}
        />
      </div>
      {error === null && isTemplate && <FieldPreview preview={shown} />}
    </FieldFrame>
  )
}
