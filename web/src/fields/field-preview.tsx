import type { Preview } from '../flow-model/templates/preview.ts'
import { segments } from '../flow-model/templates/sample-data.ts'
import classes from './fields.module.css'

const LONGEST = 400

/** What the field gives with the current sample, small and grey below it. */
export function FieldPreview({ preview }: { preview: Preview | null }) {
  if (!preview) return null
  if (preview.kind === 'later')
    return (
      <div className={classes.preview} data-kind="later">
        <span>{preview.reason}</span>
      </div>
    )
  if (preview.kind === 'error')
    return (
      <div className={classes.preview} data-kind="error">
        <span title={preview.hint}>{preview.message}</span>
      </div>
    )
  return (
    <div className={classes.preview} data-kind="value">
      <span aria-hidden="true">=</span>
      <span className={classes.value}>
        <PreviewText text={shown(preview.value)} />
      </span>
    </div>
  )
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text === '') return '""'
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** Text with names in place of what only the service knows. */
export function PreviewText({ text }: { text: string }) {
  return segments(text).map((part, index) => {
    const key = `${index} ${part.text}`
    return part.unknown ? (
      <span key={key} className={classes.unknown}>
        {part.text}
      </span>
    ) : (
      <span key={key}>{part.text}</span>
    )
  })
}
