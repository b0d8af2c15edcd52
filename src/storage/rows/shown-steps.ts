// Reads the steps of a run for display: without rounds, and with their data only up to a limit.
import type { SelectQueryBuilder } from 'kysely'
import { ROUND } from '../../engine/ports/run-journal.ts'
import type { ShownEntry, StepPart } from '../../operations/ports/runs.ts'
import { bytesUpTo, fittingOf, UNBOUNDED, upTo } from './bounded.ts'
import { toEntry } from './run-rows.ts'
import type { Tables } from './tables.ts'

const PARTS = ['input', 'output', 'logs'] as const satisfies StepPart[]
const COLUMNS = [
  'run_id',
  'path',
  'id',
  'kind',
  'seq',
  'status',
  'attempt',
  'attempts',
  'started_at',
  'finished_at',
  'outcome',
  'decision',
  'resume_at',
  'error',
] as const

/** Returns the steps; their parts come along from the first step on, as long as all together are within `maxBytes`. */
export async function shownSteps(
  steps: SelectQueryBuilder<Tables, 'step', object>,
  maxBytes = UNBOUNDED,
): Promise<ShownEntry[]> {
  const shown = steps.where('kind', '!=', ROUND)
  const sizes = await shown.select(['seq', bytesUpTo(PARTS, maxBytes).as('bytes')]).execute()
  const count = fittingOf(
    sizes.map(({ bytes }) => bytes),
    maxBytes,
  )
  // If all of them fit, a step that is recorded at this moment may come along too.
  const last = count < sizes.length ? sizes[count - 1]!.seq : UNBOUNDED
  const rows = await shown
    .select(COLUMNS)
    .select((step) =>
      PARTS.map((part) => step.case().when('seq', '<=', last).then(upTo<string>(part, maxBytes)).end().as(part)),
    )
    .select((step) => PARTS.map((part) => step.case().when(part, 'is', null).then(0).else(1).end().as(`has_${part}`)))
    .execute()
  return rows.map((row) => {
    const entry: ShownEntry = toEntry({ ...row, sealed: null })
    const omitted = PARTS.filter((part) => row[part] === null && row[`has_${part}`] === 1)
    return omitted.length ? { ...entry, omitted } : entry
  })
}
