// A setting that may hold templates, with its label, what it gives with the sample, and its problems.
import { type ReactNode, useMemo, useState } from 'react'
import { type PreviewMode, preview, previewTree } from '../flow-model/templates/preview.ts'
import { ConditionBuilder } from './condition-builder.tsx'
import { useField, usePreviewContext } from './field-context.tsx'
import { FieldFrame, IssueNotes } from './field-frame.tsx'
import { FieldPreview } from './field-preview.tsx'
import classes from './fields.module.css'
import { TemplateInput } from './template-input.tsx'
import { inBraces, textToCondition, textToNumber, textToValue, valueToText } from './value-text.ts'

interface SettingProps {
  path: string
  label: string
  description?: string | undefined
  placeholder?: string | undefined
  /** In a row of a list the heads of the columns are the labels. */
  bare?: boolean
  /** What the input is called where its label alone would not tell it from others. */
  inputLabel?: string
}

interface TextFieldProps extends SettingProps {
  mode?: PreviewMode
  multiline?: boolean
  /** An emptied field is removed rather than kept as empty text. */
  optional?: boolean
  onEnter?: () => void
  /** The data to pick from opens only by its button. */
  quiet?: boolean
}

const asText = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

export function TemplateField(props: TextFieldProps) {
  const {
    path,
    label,
    inputLabel,
    mode = 'text',
    multiline = false,
    optional = false,
    placeholder,
    onEnter,
    quiet = false,
  } = props
  const { value, set, issues, readOnly } = useField(path)
  const context = usePreviewContext(path)
  const text = asText(value)
  const shown = useMemo(() => preview(text, mode, context), [text, mode, context])
  const input = (
    <>
      <TemplateInput
        path={path}
        value={text}
        label={inputLabel ?? label}
        placeholder={placeholder}
        multiline={multiline}
        readOnly={readOnly}
        quiet={quiet}
        invalid={issues.some(({ warning }) => !warning) || shown?.kind === 'error'}
        onChange={(typed) => set(typed === '' && optional ? undefined : typed)}
        {...(onEnter ? { onEnter } : {})}
      />
      {!(issues.length && shown?.kind === 'error') && <FieldPreview preview={shown} />}
    </>
  )
  return framed(props, issues, input)
}

function framed(
  { bare, label, description }: SettingProps,
  issues: ReturnType<typeof useField>['issues'],
  input: ReactNode,
) {
  if (!bare)
    return (
      <FieldFrame label={label} description={description} issues={issues}>
        {input}
      </FieldFrame>
    )
  return (
    <div className={classes.field}>
      {input}
      <IssueNotes issues={issues} />
    </div>
  )
}

/** A number, or a template that gives one. What is neither yet is kept here: the service would refuse to save it. */
export function NumberField(props: SettingProps) {
  const { path, label, inputLabel, placeholder } = props
  const { value, set, issues, readOnly } = useField(path)
  const context = usePreviewContext(path)
  const [typed, setTyped] = useState<{ text: string; gives: unknown } | null>(null)
  const text = typed && Object.is(typed.gives, value) ? typed.text : asText(value)
  const error = textToNumber(text) === null ? 'A number, or a {{ template }} that gives one.' : null
  const shown = useMemo(() => preview(text, 'value', context), [text, context])
  const take = (given: string) => {
    const read = textToNumber(given)
    setTyped({ text: given, gives: read === null ? value : read })
    if (read !== null) set(read)
  }
  return framed(
    props,
    error === null ? issues : [{ path, code: 'number', message: error, warning: false }],
    <>
      <TemplateInput
        path={path}
        value={text}
        label={inputLabel ?? label}
        placeholder={placeholder}
        readOnly={readOnly}
        invalid={error !== null || issues.some(({ warning }) => !warning)}
        onChange={take}
      />
      {error === null && <FieldPreview preview={shown} />}
    </>,
  )
}

/** One expression in braces that is true or false. */
export function ConditionField(props: SettingProps & { optional?: boolean }) {
  const { path, label, inputLabel, optional = false, placeholder = '{{ webhook.body.total > 100 }}' } = props
  const { value, set, issues, readOnly } = useField(path)
  const context = usePreviewContext(path)
  const text = asText(value)
  const shown = useMemo(() => preview(text, 'condition', context), [text, context])
  const take = (typed: string) => set(typed === '' && optional ? undefined : textToCondition(typed))
  return framed(
    props,
    issues,
    <>
      {!readOnly && <ConditionBuilder path={path} label={inputLabel ?? label} text={text} onChange={take} />}
      <TemplateInput
        path={path}
        value={text}
        label={inputLabel ?? label}
        placeholder={placeholder}
        readOnly={readOnly}
        startsWithBraces
        invalid={issues.some(({ warning }) => !warning)}
        onChange={take}
        onBlur={(typed) => {
          const braced = inBraces(typed)
          if (braced !== typed && !readOnly) take(braced)
        }}
      />
      {!/^\{\{\s*\}\}$/.test(text) && <FieldPreview preview={shown} />}
    </>,
  )
}

/** Any JSON value with templates in it: text as it is, everything else as JSON. */
export function ValueField(props: SettingProps & { multiline?: boolean; required?: boolean }) {
  const { path, label, inputLabel, placeholder, multiline = false, required = false } = props
  const { value, set, issues, readOnly } = useField(path)
  const context = usePreviewContext(path)
  const [typed, setTyped] = useState<{ text: string; gives: unknown; error: string | null } | null>(null)
  // What was typed stands while it means the value; a change from elsewhere takes its place.
  const isCurrent = typed !== null && (typed.error !== null || sameJson(typed.gives, value))
  // An empty text of a required field is one that nobody has filled in yet.
  const written = required && value === '' ? '' : valueToText(value)
  const text = isCurrent ? typed.text : written
  const error = isCurrent ? typed.error : null
  const shown = useMemo(() => previewTree(value, context), [value, context])
  const take = (given: string) => {
    const read = textToValue(given)
    if ('error' in read) {
      setTyped({ text: given, gives: value, error: read.error })
      return
    }
    const taken = read.value === undefined && required ? '' : read.value
    setTyped({ text: given, gives: taken, error: null })
    set(taken)
  }
  return framed(
    props,
    error === null ? issues : [{ path, code: 'json', message: error, warning: false }],
    <>
      <TemplateInput
        path={path}
        value={text}
        label={inputLabel ?? label}
        placeholder={placeholder}
        multiline={multiline || text.includes('\n')}
        language={multiline ? 'json' : 'text'}
        readOnly={readOnly}
        invalid={error !== null || issues.some(({ warning }) => !warning)}
        onChange={take}
      />
      {error === null && <FieldPreview preview={shown} />}
    </>,
  )
}

const sameJson = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)
