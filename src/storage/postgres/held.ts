// How the table of runs marks those that wait until their flow is resumed.
import { IS_HANDLER } from '../rows/run-rows.ts'

/** The value of `placed`: 0 is a run in the line of its flow, 1 one that has its place. */
export const HELD = 2
/** The value of `placed` for a run that waits for a callback and gave its place back. */
export const PLACE_GIVEN = 3
/** The value of `at_once` for a held run whose flow has no limit, so that the index of lines has it. */
export const UNLIMITED = 2_147_483_647

export const IS_HELD = `placed = ${HELD} and at_once is not null and finished_at is null`

/** Marks queued runs as held; the caller adds whose. */
export const HOLD = `update run set placed = ${HELD}, due_at = null, at_once = coalesce(at_once, ${UNLIMITED})
  where status in ('queued', 'running') and status = 'queued' and version is not null and test <> ${IS_HANDLER}
  and worker is null and finished_at is null`
