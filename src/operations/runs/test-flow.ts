import type { NewRun } from '../../engine/ports/run-journal.ts'
import { filesIn } from '../../engine/webhook-data.ts'
import { compileTrigger } from '../../flow/triggers/compile-trigger.ts'
import { requireUse } from '../connections/may-use.ts'
import { findFlow, publishable } from '../flows/draft.ts'
import { flowTarget } from '../flows/flow-view.ts'
import { type GivenStart, givenStart } from '../flows/given-start.ts'
import { sampledFiles } from '../flows/trial/sampled-files.ts'
import type { Actor } from '../ports/access.ts'
import { type RunView, readRun } from './read-runs.ts'
import { labelsOf } from './run-labels.ts'
import type { RunServices } from './services.ts'
import { startRun } from './start-run.ts'

/** Runs the draft as a test run, on given data or the latest sample. Steps with a pinned result do not run. */
export async function testFlow(services: RunServices, actor: Actor, id: string, given: GivenStart): Promise<RunView> {
  const flow = await findFlow(services, id)
  const { document, text } = await publishable(services, actor, flow)
  requireUse(services, actor, document)
  const pinned = await services.samples.pins(id)
  const trigger = compileTrigger(document.trigger)
  const run: NewRun = {
    id: services.ids.next('run'),
    flowId: id,
    version: null,
    document: Object.keys(pinned).length === 0 ? text : JSON.stringify({ ...document, pinned }),
    test: true,
    ...(await givenStart(services, id, document, given)),
    hops: 0,
    replyStatus: null,
    createdAt: services.now(),
    replayOf: null,
  }
  const files = run.webhook ? await sampledFiles(services, id, filesIn(run.webhook)) : []
  if (files.length) run.files = files
  const labels = labelsOf(services, document.name, trigger, run)
  const entry = () => services.audit.record(actor, 'flow.test', flowTarget(flow), { run: run.id })
  await startRun(services, { run: { ...run, labels }, concurrency: trigger.concurrency, entry })
  return readRun(services, run.id)
}
