// What happened, for whoever watches: live pages now, nothing is kept.
import type { NewRun, RunProgress } from '../engine/run-store.ts'

export interface FlowEvent {
  type: 'run' | 'step' | 'sample' | 'delivery' | 'ended'
  data: unknown
}

type Listener = (event: FlowEvent) => void

export class Events {
  readonly #topics = new Map<string, Set<Listener>>()

  watched(topic: string): boolean {
    return this.#topics.size > 0 && this.#topics.has(topic)
  }

  /** To whoever watches the flow, and whoever watches all; `make` is called only if somebody does. */
  tell(flowId: string, make: () => FlowEvent): void {
    if (this.#topics.size === 0) return
    const topics = [flowTopic(flowId), ALL].filter((topic) => this.watched(topic))
    if (topics.length === 0) return
    const event = make()
    for (const topic of topics) this.emit(topic, event)
  }

  emit(topic: string, event: FlowEvent): void {
    for (const listener of this.#topics.get(topic) ?? []) listener(event)
  }

  /** Returns what ends the subscription. */
  subscribe(topic: string, listener: Listener): () => void {
    let listeners = this.#topics.get(topic)
    if (!listeners) {
      listeners = new Set()
      this.#topics.set(topic, listeners)
    }
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#topics.delete(topic)
    }
  }
}

/** Every run and delivery of every flow. */
export const ALL = 'all'
export const runTopic = (runId: string): string => `run:${runId}`
export const flowTopic = (flowId: string): string => `flow:${flowId}`
/** Whoever watches as this user or token must stop. */
export const actorTopic = (actorId: string): string => `actor:${actorId}`

/** A run as a list of runs shows it, but for the flow's name; its error is already redacted. */
export const runEvent = (
  { id, flowId, version, test, createdAt, replayOf }: Omit<NewRun, 'webhook' | 'hops' | 'document' | 'replyStatus'>,
  {
    status,
    startedAt,
    finishedAt,
    error,
  }: Omit<RunProgress, 'startedAt' | 'resumeAt' | 'entries'> & {
    startedAt: number | null
  },
): FlowEvent => ({
  type: 'run',
  data: {
    id,
    flowId,
    version,
    status,
    test,
    error,
    createdAt: isoTime(createdAt),
    startedAt: isoTime(startedAt),
    finishedAt: isoTime(finishedAt),
    replayOf,
  },
})

const isoTime = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())
