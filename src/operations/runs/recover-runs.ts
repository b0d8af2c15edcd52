// Puts every unfinished run back in line at start.

import { FlowUnusable } from '../../engine/engine.ts'
import { timeOfId } from '../../engine/ids.ts'
import { handledBy } from '../../engine/ports/run-journal.ts'
import type { PublishedFlows } from '../flows/published-flows.ts'
import type { Queue, QueuedRun } from '../ports/queue.ts'
import type { RunStore, UnfinishedRun } from '../ports/runs.ts'

const PAGE = 1000

export interface RecoveryQueue extends Queue {
  /** Keeps the flow's place for a run that waits. */
  hold(run: QueuedRun): void
}

export async function recoverRuns(
  runs: RunStore,
  queue: RecoveryQueue,
  published: PublishedFlows,
  now: number,
): Promise<number> {
  await runs.countRecovered()
  // There may be a million waiting runs: only those of flows with a limit are read.
  for (const version of await runs.waitingVersions())
    if ((await limitOf(published, version.flowId, version.version)) !== null)
      for await (const run of all((after) => runs.waiting(version, after, PAGE)))
        queue.hold(await queuedRun(published, run, now, true))
  let recovered = 0
  for (const status of ['running', 'queued'] as const)
    for await (const run of all((after) => runs.active(status, after, PAGE))) {
      const isQueued = status === 'queued'
      queue.add(await queuedRun(published, run, isQueued ? timeOfId(run.id) : now, !isQueued))
      recovered++
    }
  return recovered
}

/**
 * Returns a run with the limit of its flow's version. Runs that have begun, those of drafts, and failure handlers, which are
 * parts of runs that have begun, are never held back.
 */
export async function queuedRun(
  published: PublishedFlows,
  { id, flowId, version }: UnfinishedRun,
  since: number,
  begun: boolean,
): Promise<QueuedRun> {
  const isPart = handledBy(id) !== null
  const concurrency = isPart ? null : await limitOf(published, flowId, version)
  return { id, flowId, concurrency, fresh: null, since, exempt: begun || isPart || version === null }
}

async function limitOf(published: PublishedFlows, flowId: string, version: number | null): Promise<number | null> {
  if (version === null) return null
  try {
    return (await published.version(flowId, version)).trigger.concurrency
  } catch (error) {
    // The runs of an unusable flow report the error; the start does not fail.
    if (error instanceof FlowUnusable) return null
    throw error
  }
}

async function* all(pageAfter: (id: string | null) => Promise<UnfinishedRun[]>): AsyncGenerator<UnfinishedRun> {
  for (let after: string | null = null; ; ) {
    const page = await pageAfter(after)
    yield* page
    if (page.length < PAGE) return
    after = page.at(-1)!.id
  }
}
