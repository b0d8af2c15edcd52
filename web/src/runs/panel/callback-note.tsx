// What a step waits for, or waited for: whom, how long, and by whom it was answered. It is answered here too.
import type { Run, RunCallback } from '../../api/api-types.ts'
import { AnswerForm } from '../../approvals/answer-form.tsx'
import { TimeLeft } from '../../approvals/time-left.tsx'
import { formatMoment } from '../../ui/format.ts'
import { Markdown } from '../../ui/text/markdown.tsx'
import { awaitedWords } from '../model/waits.ts'
import classes from './callback-note.module.css'
import { CallbackTools } from './callback-tools.tsx'
import { FilteredCallbacks } from './filtered-callbacks.tsx'
import { Data } from './step-data.tsx'

interface CallbackNoteProps {
  run: Run
  callback: RunCallback
  /** Of the step: where it has one, the answer is in it. */
  output: unknown
}

export function CallbackNote({ run, callback, output }: CallbackNoteProps) {
  const { state, title, asks, kind, expiresAt, answer, early, omitted } = callback
  const isOpen = state === 'open' || state === 'early'
  return (
    <section className={classes.note} data-open={isOpen || undefined} aria-label={title ?? 'Callback'}>
      {title && <h3 className={classes.title}>{title}</h3>}
      <p className={classes.state}>
        {stateWords(callback)}
        {state === 'open' && expiresAt && (
          <>
            , <TimeLeft until={expiresAt} />
          </>
        )}
      </p>
      {asks?.text && <Markdown text={asks.text} />}
      {asks && <AnswerForm approval={{ id: callback.id, run: run.id, ...asks }} />}
      {isOpen && <CallbackTools run={run} callback={callback} />}
      {early && early.length > 0 && <p className={classes.state}>Came early, and is looked at in this order:</p>}
      {early?.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are looked at in this order
        <Data key={index} value={one} path="" label={`Came early, ${index + 1}`} none="" />
      ))}
      {omitted?.includes('early') && (
        <p className={classes.state}>More came early that is too large to be shown here.</p>
      )}
      {kind === 'callback' && <FilteredCallbacks run={run} isOpen={isOpen} />}
      {answer !== undefined && (output === null || output === undefined) && (
        <Data value={answer} path="" label="Answer" none="" />
      )}
      {omitted?.includes('answer') && (output === null || output === undefined) && (
        <p className={classes.state}>The answer is too large to be shown here.</p>
      )}
    </section>
  )
}

function stateWords(callback: RunCallback): string {
  const { state, answeredAt, answeredBy } = callback
  if (state === 'open') return `Waiting for ${awaitedWords(callback)}`
  if (state === 'early') return 'The run has not come to this step. What is answered before is kept for it.'
  if (state === 'timedOut') return 'Nobody answered in time.'
  if (state === 'closed') return 'Closed: the run went on or ended before anybody answered.'
  const by = answeredBy === null ? '' : answeredBy === 'link' ? ' by whoever had the link' : ` by ${answeredBy}`
  return `Answered${by}${answeredAt === null ? '' : `, ${formatMoment(Date.parse(answeredAt))}`}`
}
