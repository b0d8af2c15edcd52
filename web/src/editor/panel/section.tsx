import { IconChevronRight } from '@tabler/icons-react'
import { type ReactNode, useId, useState } from 'react'
import classes from './panel.module.css'

interface SectionProps {
  title: string
  /** What is set in it, in a few words, while it is closed. */
  summary?: string
  /** Open at first. */
  open?: boolean
  children: ReactNode
}

/** A part of a panel that opens in place. */
export function Section({ title, summary, open = false, children }: SectionProps) {
  const [shown, setShown] = useState(open)
  const id = useId()
  return (
    <section className={classes.section}>
      <button
        type="button"
        className={classes.sectionHead}
        data-open={shown || undefined}
        aria-expanded={shown}
        aria-controls={id}
        onClick={() => setShown(!shown)}
      >
        <IconChevronRight size={15} aria-hidden="true" />
        {title}
        {!shown && summary && <span>{summary}</span>}
      </button>
      {shown && (
        <div id={id} className={classes.section}>
          {children}
        </div>
      )}
    </section>
  )
}
