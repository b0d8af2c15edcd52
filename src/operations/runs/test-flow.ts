import { startedByDelivery } from '../../engine/ports/run-journal.ts'
import { findFlow, publishable } from '../flows/draft.ts'
import { type GivenWebhook, givenWebhook } from '../flows/given-webhook.ts'
import { type RunView, readRun } from './read-runs.ts'
import type { RunServices } from './services.ts'
import { startRun } from './start-run.ts'

/** Runs the draft as a test run, on given data or the latest sample. Steps with a pinned result do not run. */
export async function testFlow(services: RunServices, id: string, given: GivenWebhook | undefined): Promise<RunView> {
  const flow = await findFlow(services, id)
  const { document, text } = await publishable(services, flow)
  const latest = await services.samples.latest(id)
  const pinned = await services.samples.pins(id)
  const runId = services.ids.next('run')
  await startRun(services, {
    run: {
      id: runId,
      flowId: id,
      version: null,
      document: Object.keys(pinned).length === 0 ? text : JSON.stringify({ ...document, pinned }),
      test: true,
      ...startedByDelivery(givenWebhook(services, given, latest)),
      hops: 0,
      replyStatus: null,
      createdAt: services.now(),
      replayOf: null,
    },
    concurrency: document.trigger.concurrency ?? null,
  })
  return readRun(services, runId)
}
