// What happened, for whoever watches: live pages now, nothing is kept.
import type { NewRun, RunProgress } from '../../engine/ports/run-journal.ts'
import type { News } from '../ports/signals.ts'

export interface FlowEvent {
  type: 'run' | 'step' | 'sample' | 'delivery' | 'ended'
  data: unknown
}

type Listener = (event: FlowEvent) => void

/** The way to those who watch in other processes. */
export interface Relay {
  pass(news: News): void
  /** Resolves when the one who begins to watch may be shown how things stand. */
  opened(topic: string): Promise<void>
}

export class Events {
  readonly #topics = new Map<string, Set<Listener>>()
  /** Where there are other processes. */
  relay: Relay | null = null

  get anybody(): boolean {
    return this.#topics.size > 0
  }

  watched(topic: string): boolean {
    return this.#topics.size > 0 && this.#topics.has(topic)
  }

  /** Whether somebody watches the flow, or all. */
  watchedOf(flowId: string): boolean {
    return this.watched(ALL) || this.watched(flowTopic(flowId))
  }

  /** To whoever watches the flow, and whoever watches all; `make` is called only if somebody does. */
  tell(flowId: string, type: News['type'], id: string, make: () => FlowEvent): void {
    this.relay?.pass({ type, id, flowId })
    if (this.#topics.size > 0 && this.watchedOf(flowId)) this.emitTo(flowId, make())
  }

  emitTo(flowId: string, event: FlowEvent): void {
    for (const topic of [flowTopic(flowId), ALL]) this.emit(topic, event)
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
      // Called twice, it must not take away what others have begun to watch meanwhile.
      if (listeners.size === 0 && this.#topics.get(topic) === listeners) this.#topics.delete(topic)
    }
  }
}

/** The run that a topic is about; null: it is about a flow, or all. */
export const runIdOf = (topic: string): string | null => /^run:(.*)$/s.exec(topic)?.[1] ?? null

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
