// What this process does about what another one has done.
import type { Signal } from '../ports/signals.ts'
import type { EventRelay } from './event-relay.ts'
import { actorTopic } from './events.ts'
import type { EventServices } from './services.ts'

export interface SignalHandler {
  hear(signal: Signal): void
  /** Resolves when what was changed up to then, by whichever process, is known here: before a run that may use it. */
  catchUp(changes: number): Promise<void>
  /** Signals may have been missed: everything that they keep current is read again. */
  resumed(): void
}

/** What each subject does about it. */
export interface Heard {
  flowChanged(flowId: string): Promise<void>
  flowDeleted(flowId: string): void
  runCancelled(runId: string): void
  /** One, or any number of them. */
  connectionsChanged(): Promise<void>
  anyFlowChanged(): Promise<void>
}

export function createSignalHandler(
  { events, warn }: Pick<EventServices, 'events' | 'warn'>,
  relay: EventRelay,
  heard: Heard,
): SignalHandler {
  const failed = (error: unknown) =>
    warn('what another process has changed could not be read; it is read when it is needed', {
      reason: (error as Error).message,
    })
  let caughtUp = 0
  const hear = async (signal: Signal): Promise<void> => {
    switch (signal.topic) {
      case 'flow':
        return heard.flowChanged(signal.flowId)
      case 'flow_deleted':
        return heard.flowDeleted(signal.flowId)
      case 'cancelled':
        return heard.runCancelled(signal.runId)
      case 'connections':
        return heard.connectionsChanged()
      case 'access_ended':
        events.emit(actorTopic(signal.actorId), { type: 'ended', data: null })
        return
      case 'watching':
        return relay.watching()
      case 'news':
        return relay.hear(signal.news)
    }
  }
  return {
    hear: (signal) => void hear(signal).catch(failed),
    async catchUp(changes) {
      if (changes <= caughtUp) return
      await heard.connectionsChanged()
      caughtUp = Math.max(caughtUp, changes)
    },
    resumed: () => void Promise.all([heard.anyFlowChanged(), heard.connectionsChanged()]).catch(failed),
  }
}
