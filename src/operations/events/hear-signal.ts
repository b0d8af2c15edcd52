// Handles the signals of other processes.
import type { Signal } from '../ports/signals.ts'
import type { EventRelay } from './event-relay.ts'
import { actorTopic } from './events.ts'
import type { EventServices } from './services.ts'

export interface SignalHandler {
  hear(signal: Signal): void
  /** Returns how many changes, by any process, this process knows. */
  known(): number
  /** Resolves when this process knows the first `changes` changes, by any process. Called before a run that may use them. */
  catchUp(changes: number): Promise<void>
  /** Reads everything again that signals keep current, because some may have been missed. */
  resumed(): void
}

/** The handlers of each subject. */
export interface Heard {
  flowChanged(flowId: string): Promise<void>
  flowDeleted(flowId: string): void
  runCancelled(runId: string): void
  /** Handles a change of one or more connections. */
  connectionsChanged(): Promise<void>
  anyFlowChanged(): Promise<void>
  settingsChanged(): Promise<void>
  flowFails(flowId: string): void
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
        for (const id of signal.runIds) heard.runCancelled(id)
        return
      case 'connections':
        return heard.connectionsChanged()
      case 'settings':
        return heard.settingsChanged()
      case 'failing':
        return heard.flowFails(signal.flowId)
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
    known: () => caughtUp,
    async catchUp(changes) {
      if (changes <= caughtUp) return
      await heard.connectionsChanged()
      caughtUp = Math.max(caughtUp, changes)
    },
    resumed: () =>
      void Promise.all([heard.anyFlowChanged(), heard.connectionsChanged(), heard.settingsChanged()]).catch(failed),
  }
}
