// What happened, for whoever watches: live pages now, nothing is kept.

export interface FlowEvent {
  type: 'run' | 'step' | 'sample' | 'delivery'
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
