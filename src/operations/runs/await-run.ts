// Waits for the end of a run, in whichever process it ends.
import type { RunEnd } from '../../engine/ports/run-journal.ts'
import { runTopic } from '../events/events.ts'
import type { RunServices } from './services.ts'

/** Returns how the run ended; null if it did not within the time, or if this process stops. */
export async function awaitRun(
  { events, enginePorts, ids, replies }: Pick<RunServices, 'events' | 'enginePorts' | 'ids' | 'replies'>,
  { id, flowId }: { id: string; flowId: string },
  waitMs: number,
): Promise<RunEnd | null> {
  if (waitMs === 0) return null
  const waiter = ids.next('req')
  const over = replies.wait(waiter, flowId, waitMs)
  const topic = runTopic(id)
  const unsubscribe = events.subscribe(topic, ({ type, data }) => {
    if (type === 'run' && (data as { finishedAt: string | null }).finishedAt !== null)
      replies.send(waiter, { status: 200, headers: [], body: null })
  })
  try {
    await events.relay?.opened(topic)
    const ended = await enginePorts.journal.endOf(id)
    if (ended) return ended
    await over
    return await enginePorts.journal.endOf(id)
  } finally {
    unsubscribe()
    replies.send(waiter, { status: 200, headers: [], body: null })
  }
}
