// Cancels many runs at once.
import type { RunStatus } from '../../engine/ports/run-journal.ts'
import type { Actor } from '../ports/access.ts'
import { cancelQuietly } from '../runs/cancel-run.ts'
import { chosenRuns, type RunChoice, selectionOf } from './choose-runs.ts'
import type { FailureServices } from './services.ts'

const UNFINISHED: readonly RunStatus[] = ['queued', 'running', 'waiting']

/** Returns how many runs match. A dry run cancels none of them. */
export async function cancelRuns(
  services: FailureServices,
  actor: Actor,
  filter: RunChoice,
  dryRun: boolean,
): Promise<{ total: number; cancelled: number }> {
  const selection = selectionOf(filter, { statuses: UNFINISHED, replays: true, now: services.now() })
  const counts = { total: 0, cancelled: 0 }
  for await (const runs of chosenRuns(services, selection)) {
    counts.total += runs.length
    if (dryRun) continue
    counts.cancelled += await cancelQuietly(
      services,
      runs.map(({ id }) => id),
      (cancelled) => services.audit.record(actor, 'run.cancel_many', null, { filter, cancelled }),
    )
  }
  return counts
}
