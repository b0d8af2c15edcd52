// The steps of a run as they are looked at: without rounds, and no more of what they worked with than was asked for.
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
  'started_at',
  'finished_at',
  'outcome',
  'decision',
  'resume_at',
  'error',
] as const

/** The parts of the first steps that are within `maxBytes` together, each of them within it too. */
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
  // Where all of them fit, one that is recorded right now may show what it has too.
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
