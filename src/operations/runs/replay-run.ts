import type { Actor } from '../ports/access.ts'
import { prepareReplay, type Replay } from './prepare-replay.ts'
import { type RunView, readRun } from './read-runs.ts'
import type { RunServices } from './services.ts'
import { startRun } from './start-run.ts'

/** Repeats a run. The audit log says which parts were changed, never to what. */
export async function replayRun(services: RunServices, actor: Actor, id: string, replay: Replay): Promise<RunView> {
  const { from, version = 'same', webhook, steps } = replay
  const { run, journal, concurrency } = await prepareReplay(services, actor, id, replay)
  const details = {
    flow: run.flowId,
    run: run.id,
    version,
    ...(from !== undefined && { from }),
    ...(webhook && { webhook: Object.keys(webhook) }),
    ...(steps && { steps: Object.keys(steps) }),
  }
  const entry = () => services.audit.record(actor, 'run.replay', { kind: 'run', id, name: null }, details)
  await startRun(services, { run, concurrency, journal, entry })
  return readRun(services, run.id)
}
