import { CopyButton } from './copy-button.tsx'
import classes from './copy-line.module.css'

interface CopyLineProps {
  value: string
  /** What its button is called. */
  label: string
  /** Goes on in the next line where there is no room; otherwise it is cut, and the tip has all of it. */
  whole?: boolean
}

/** A URL, or what stands for one, to be read and copied. */
export function CopyLine({ value, label, whole = false }: CopyLineProps) {
  return (
    <div className={classes.line}>
      <code className={classes.value} data-whole={whole || undefined} title={whole ? undefined : value}>
        {value}
      </code>
      <CopyButton value={value} label={label} {...(whole && { size: 'xs' })} />
    </div>
  )
}
