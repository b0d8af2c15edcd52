// What this process does about what another one has done.
import { defaultErrorReply } from '../engine/caller-reply.ts'
import { CANCELLED } from './cancel-run.ts'
import { FLOW_DELETED } from './delete-flow.ts'
import type { EventRelay } from './event-relay.ts'
import { actorTopic } from './events.ts'
import type { Signal } from './ports/signals.ts'
import type { Services } from './services.ts'

export interface SignalHandler {
  hear(signal: Signal): void
  /** Resolves when what was changed up to then, by whichever process, is known here: before a run that may use it. */
  catchUp(changes: number): Promise<void>
  /** Signals may have been missed: everything that they keep current is read again. */
  resumed(): void
}

export function createSignalHandler(services: Services, relay: EventRelay): SignalHandler {
  const { published, engine, replies, events, connections, connectionStore, tokens, warn } = services
  const failed = (error: unknown) =>
    warn('what another process has changed could not be read; it is read when it is needed', {
      reason: (error as Error).message,
    })
  const readConnections = async () => {
    const stored = await connectionStore.all()
    for (const connection of stored) connections.put(connection)
    const names = new Set(stored.map(({ name }) => name))
    for (const { name } of connections.all()) if (!names.has(name)) connections.take(name)
    await tokens.load()
  }
  let caughtUp = 0
  const hear = async (signal: Signal): Promise<void> => {
    switch (signal.topic) {
      case 'flow':
        return published.readFlow(signal.flowId)
      case 'flow_deleted':
        published.removeRoute(signal.flowId)
        engine.cancelAllOf(signal.flowId)
        return replies.sendAllOf(signal.flowId, (runId) => defaultErrorReply(runId, FLOW_DELETED))
      case 'cancelled':
        engine.cancel(signal.runId)
        return replies.send(signal.runId, defaultErrorReply(signal.runId, CANCELLED))
      case 'connections':
        return readConnections()
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
      await readConnections()
      caughtUp = Math.max(caughtUp, changes)
    },
    resumed: () => void Promise.all([published.load(), readConnections()]).catch(failed),
  }
}
