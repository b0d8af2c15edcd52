// Chooses runs for what is done to many at once, page by page: there may be a hundred thousand.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CODE } from '../../base/error-catalogue.ts'
import type { RunStatus } from '../../engine/ports/run-journal.ts'
import { type Labels, storedValue } from '../../flow/triggers/labels.ts'
import { OperationError } from '../operation-error.ts'
import type { ReplayStore, RunSelection, SelectedRun } from '../ports/replays.ts'

/** What a request names; at least one of them. */
export interface RunChoice {
  flow?: string
  /** One or several. */
  failure?: string | readonly string[]
  status?: RunStatus
  since?: number
  until?: number
  /** By name, all of them. */
  label?: Labels
}

/** A page takes a few milliseconds; between two, other work has its turn. */
const PAGE = 500

export function selectionOf(
  { flow, failure, status, since, until, label }: RunChoice,
  { statuses, replays, now }: { statuses: readonly RunStatus[]; replays: boolean; now: number },
): RunSelection[] {
  if ([flow, failure, status, since, until, label].every((part) => part === undefined))
    throw new OperationError(CODE.invalid_request, 'The filter names nothing; give at least one of its keys.')
  const selection = {
    flowId: flow ?? null,
    statuses: status === undefined ? statuses : [status],
    since: since ?? null,
    // The runs are fixed: one that starts later is not chosen.
    until: Math.min(until ?? Number.POSITIVE_INFINITY, now + 1),
    labels: label ? Object.fromEntries(Object.entries(label).map(([name, value]) => [name, storedValue(value)])) : null,
    replays,
  }
  // A run belongs to one failure: each has its own list, in the order of its index.
  const failures = new Set(failure === undefined ? [null] : [failure].flat())
  return [...failures].map((one) => ({ ...selection, failure: one }))
}

export async function* chosenRuns(
  { replays }: { replays: Pick<ReplayStore, 'select'> },
  selections: readonly RunSelection[],
): AsyncGenerator<SelectedRun[]> {
  for (const selection of selections) yield* pagesOf(replays, selection)
}

async function* pagesOf(replays: Pick<ReplayStore, 'select'>, selection: RunSelection): AsyncGenerator<SelectedRun[]> {
  for (let after: string | null = null; ; ) {
    const page = await replays.select(selection, after, PAGE)
    if (page.length) yield page
    if (page.length < PAGE) return
    after = page.at(-1)!.id
    await nextTurn()
  }
}
