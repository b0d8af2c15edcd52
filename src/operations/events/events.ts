// Passes events to the clients that watch at the moment, such as open pages. Nothing is stored.
import {
  handledBy,
  type NewRun,
  type RunParent,
  type RunProgress,
  type RunTrigger,
  shownPath,
} from '../../engine/ports/run-journal.ts'
import type { News } from '../ports/signals.ts'

export interface FlowEvent {
  type: 'run' | 'step' | 'handled' | 'sample' | 'delivery' | 'replay' | 'ended' | 'stored' | 'listening' | 'dropped'
  data: unknown
}

type Listener = (event: FlowEvent) => void

/** Reports events to clients that watch in other processes. */
export interface Relay {
  pass(news: News): void
  /** Resolves when a client that begins to watch may read the current state. */
  opened(topic: string): Promise<void>
}

export class Events {
  readonly #topics = new Map<string, Set<Listener>>()
  /** Set if there are other processes. */
  relay: Relay | null = null

  get anybody(): boolean {
    return this.#topics.size > 0
  }

  watched(topic: string): boolean {
    return this.#topics.size > 0 && this.#topics.has(topic)
  }

  /** Returns whether a client watches the flow or all flows. */
  watchedOf(flowId: string): boolean {
    return this.watched(ALL) || this.watched(flowTopic(flowId))
  }

  /** Reports to the watchers of the flow and of all flows. `make` is called only if there are any. */
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

  /** Returns a function that ends the subscription. */
  subscribe(topic: string, listener: Listener): () => void {
    let listeners = this.#topics.get(topic)
    if (!listeners) {
      listeners = new Set()
      this.#topics.set(topic, listeners)
    }
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      // A second call must not remove listeners that were added meanwhile.
      if (listeners.size === 0 && this.#topics.get(topic) === listeners) this.#topics.delete(topic)
    }
  }
}

/** Returns the run of a topic; null if the topic is a flow or all flows. */
export const runIdOf = (topic: string): string | null => /^run:(.*)$/s.exec(topic)?.[1] ?? null

/** The topic of every run and delivery of every flow. */
export const ALL = 'all'
export const runTopic = (runId: string): string => `run:${runId}`
export const flowTopic = (flowId: string): string => `flow:${flowId}`
/** The topic of the deliveries of a flow as they came, for programs that listen to it. */
export const listenTopic = (flowId: string): string => `listen:${flowId}`
/** The topic of a job that replays runs. */
export const replayTopic = (jobId: string): string => `replay:${jobId}`
/** The topic that tells watchers with this user or token to stop. */
export const actorTopic = (actorId: string): string => `actor:${actorId}`

/** Returns a run as in the list of runs, without the flow's name. Its error is already redacted. */
export const runEvent = (
  {
    id,
    flowId,
    version,
    test,
    createdAt,
    replayOf,
    edited,
    trigger,
    parent,
    labels,
  }: Omit<NewRun, 'webhook' | 'given' | 'hops' | 'document' | 'replyStatus'>,
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
    ...(edited && { edited }),
    trigger: triggerView(trigger),
    parent: parentView(parent),
    labels: labels ?? null,
  },
})

export const parentView = (parent: RunParent | null): Omit<RunParent, 'waits'> | null =>
  parent && { run: handledBy(parent.run) ?? parent.run, step: shownPath(parent.run, parent.step) }

/** Returns how a run began, for display. */
export const triggerView = ({ at, trace: _trace, forFailure: _forFailure, ...trigger }: RunTrigger) => ({
  ...trigger,
  ...(at !== undefined && { at: new Date(at).toISOString() }),
})

const isoTime = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())
