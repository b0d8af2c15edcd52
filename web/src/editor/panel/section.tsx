import { IconChevronRight } from '@tabler/icons-react'
import { type ReactNode, useId, useState } from 'react'
import { useFields } from '../../fields/field-context.tsx'
import { ProblemMark } from '../../fields/field-frame.tsx'
import { isInside } from '../../flow-model/flow-tree.ts'
import classes from './panel.module.css'

const NOTHING: readonly string[] = []

interface SectionProps {
  title: string
  /** What is set in it, in a few words, while it is closed. */
  summary?: string
  /** Open at first. */
  open?: boolean
  /** JSON Pointers of what is set in it: their problems mark it while it is closed. */
  holds?: readonly string[]
  children: ReactNode
}

/** A part of a panel that opens in place. */
export function Section({ title, summary, open = false, holds = NOTHING, children }: SectionProps) {
  const { issues } = useFields()
  const [shown, setShown] = useState(open)
  const found = issues.filter(({ path }) => holds.some((held) => isInside(path, held)))
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
        {!shown && found.length > 0 && <ProblemMark issues={found} />}
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
