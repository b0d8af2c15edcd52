// Maps entries of the journal to rows of PostgreSQL.
import type { JournalEntry, RunProgress } from '../../engine/ports/run-journal.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { stepColumns } from '../rows/step-columns.ts'
import type { StepTable } from '../rows/tables.ts'
import { type Columns, unnest } from './arrays.ts'

export const STEP_COLUMNS = {
  run_id: 'text',
  path: 'text',
  id: 'text',
  kind: 'text',
  seq: 'int',
  status: 'text',
  attempt: 'int',
  started_at: 'bigint',
  finished_at: 'bigint',
  outcome: 'text',
  decision: 'text',
  resume_at: 'bigint',
  input: 'text',
  output: 'text',
  error: 'text',
  logs: 'text',
  sealed: 'text',
  attempts: 'text',
} as const satisfies Columns & Record<keyof StepTable, string>

const names = Object.keys(STEP_COLUMNS)
const changed = names.filter((name) => name !== 'run_id' && name !== 'path')

/** Returns a statement that inserts the rows of the arrays from parameter `first` on; `only` is a condition on them. */
export const insertSteps = (first: number, only = 'true'): string =>
  `insert into step (${names.join(', ')}) select ${names.join(', ')} from ${unnest('given_step', STEP_COLUMNS, first)} where ${only}`

/** The same, for steps that may be there. */
export const putSteps = (first: number, only = 'true'): string =>
  `${insertSteps(first, only)}
   on conflict (run_id, path) do update set ${changed.map((name) => `${name} = excluded.${name}`).join(', ')}`

export const stepRow = (runId: string, e: JournalEntry, protect: Protect, texts?: RunProgress['texts']): StepTable => ({
  run_id: runId,
  path: e.path,
  id: e.id,
  kind: e.kind,
  seq: e.seq,
  status: e.status,
  attempt: e.attempt,
  started_at: e.startedAt,
  finished_at: e.finishedAt,
  outcome: e.outcome,
  resume_at: e.resumeAt,
  ...stepColumns(runId, e, protect, texts),
})
