// The flow that is called when a run has failed whose own flow says nothing about that.
import type { SettingStore } from '../../ports/instance.ts'

const NAME = 'failure_flow'

/** Keeps the setting in memory: it is asked for each time that a run fails. */
export class FailureFlow {
  readonly #store: SettingStore
  #flowId: string | null = null

  constructor(store: SettingStore) {
    this.#store = store
  }

  async load(): Promise<void> {
    this.#flowId = await this.#store.get(NAME)
  }

  async set(flowId: string | null): Promise<void> {
    await this.#store.set(NAME, flowId)
    this.#flowId = flowId
  }

  get flowId(): string | null {
    return this.#flowId
  }

  /** Returns the flow to call for a failed run of a flow: none for the failure flow itself. */
  for(flowId: string): string | null {
    return flowId === this.#flowId ? null : this.#flowId
  }
}
