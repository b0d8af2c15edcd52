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

export const runTopic = (runId: string): string => `run:${runId}`
export const flowTopic = (flowId: string): string => `flow:${flowId}`
