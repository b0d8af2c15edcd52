// Reports the progress of runs to the clients that watch them or their flow.
import { type ClaimedRun, handledBy, ROUND, type RunProgress } from '../engine/ports/run-journal.ts'
import { shown, shownEntry } from '../operations/deliveries/read-deliveries.ts'
import type { EventRelay, EventViews } from '../operations/events/event-relay.ts'
import { type Events, type FlowEvent, runEvent, runTopic } from '../operations/events/events.ts'
import type { Secrets } from '../operations/ports/secrets.ts'
import { stepView, withoutLargeParts } from '../operations/runs/read-runs.ts'

export const eventViews = (secrets: Secrets): EventViews => ({
  delivery: shownEntry({ secrets }),
  sample: shown({ secrets }),
  step: (entry, flowId) => stepView(entry, (value) => secrets.redact(value, flowId)),
})

export function announce(
  events: Events,
  { redact }: Secrets,
  run: ClaimedRun,
  progress: RunProgress,
  relay: EventRelay | null,
): void {
  const failed = handledBy(run.id)
  if (failed !== null) {
    announceHandler(events, failed, run.flowId)
    return
  }
  const state = (): FlowEvent => runEvent(run, { ...progress, error: redact(progress.error, run.flowId) })
  const topic = runTopic(run.id)
  if (events.watched(topic)) {
    const steps = progress.entries.filter(({ kind }) => kind !== ROUND)
    for (const entry of steps)
      events.emit(topic, {
        type: 'step',
        data: stepView(withoutLargeParts(entry), (value) => redact(value, run.flowId)),
      })
    events.emit(topic, state())
    relay?.told(run.id, steps, progress)
  }
  events.tell(run.flowId, 'run', run.id, state)
}

/** Tells the watchers of a failed run that its failure handler got on: they read the run again. */
function announceHandler(events: Events, runId: string, flowId: string): void {
  events.emit(runTopic(runId), { type: 'handled', data: { id: runId } })
  events.relay?.pass({ type: 'run', id: runId, flowId })
}
