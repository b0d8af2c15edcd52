// Lays a step's data out in columns: as JSON with secrets hidden, and sealed beside it what a resumed run needs.
import type { JournalEntry, RunProgress } from '../../engine/ports/run-journal.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { stepBinding } from './bindings.ts'
import { fromJson, toEntry } from './run-rows.ts'
import type { StepTable } from './tables.ts'

type DataColumns = Pick<StepTable, 'decision' | 'input' | 'output' | 'error' | 'logs' | 'sealed' | 'attempts'>

export function stepColumns(
  runId: string,
  entry: JournalEntry,
  protect: Protect,
  texts?: RunProgress['texts'],
): DataColumns {
  const decision = toJson(entry.decision)
  const output = toJson(entry.output, texts)
  const error = toJson(entry.error)
  const shown = {
    decision: shownJson(decision, protect),
    output: shownJson(entry.shown ? toJson(entry.shown.output, texts) : output, protect),
    error: shownJson(error, protect),
  }
  const hidden = shown.decision !== decision || shown.output !== output || shown.error !== error
  return {
    ...shown,
    input: shownJson(toJson(entry.input, texts), protect),
    logs: shownJson(toJson(entry.logs), protect),
    attempts: shownJson(toJson(entry.attempts), protect),
    sealed: hidden ? protect.seal(JSON.stringify([decision, output, error]), stepBinding(runId, entry.path)) : null,
  }
}

/** Returns the step with its true values, and its shown output if that differs. */
export function revealedStep(row: StepTable, protect: Protect): JournalEntry {
  if (row.sealed === null) return toEntry(row)
  const text = protect.reveal(row.sealed, stepBinding(row.run_id, row.path))
  const [decision, output, error] = JSON.parse(text) as (string | null)[]
  const entry = toEntry({ ...row, decision: decision!, output: output!, error: error! })
  // An output that is written again must stay hidden.
  if (row.output !== output) entry.shown = { output: fromJson(row.output) }
  return entry
}

export const toJson = (value: unknown, texts?: RunProgress['texts']): string | null =>
  value === null || value === undefined ? null : (texts?.get(value) ?? JSON.stringify(value))

export const shownJson = (text: string | null, protect: Protect): string | null =>
  text === null ? null : protect.json(text)
