// Returns the bytes that reading a run takes, without reading it.
import { handledBy } from '../../engine/ports/run-journal.ts'
import type { Session } from './settling-database.ts'

export function createRunSizes(raw: Session): (runId: string) => number {
  // The rounds of a loop are read when the run reaches the loop.
  const select = raw.prepare(`SELECT octet_length(raw_body) + coalesce(octet_length(sealed), 0) + (SELECT coalesce(sum(
    coalesce(octet_length(output), 0) + coalesce(octet_length(sealed), 0)), 0) FROM step WHERE run_id = run.id AND path NOT LIKE '%[%')
    AS bytes FROM run WHERE id = ?`)
  const bytesOf = (runId: string): number => (select.get(runId)?.['bytes'] as number | undefined) ?? 0
  return (runId) => {
    // A failure handler reads the failed run too.
    const failed = handledBy(runId)
    return bytesOf(runId) + (failed === null ? 0 : bytesOf(failed))
  }
}
