// For commands that stay: connects when there is something to do and lets go afterwards, so that a data folder is free for
// `millrace serve` in between, and whatever holds it then is found.
import type { ApiClient } from './api-client.ts'

export class SharedConnection {
  readonly #connect: () => Promise<ApiClient>
  #users = 0
  #open: Promise<ApiClient> | null = null
  /** A folder cannot be opened again before it is closed. */
  #closed: Promise<void> = Promise.resolve()

  constructor(connect: () => Promise<ApiClient>) {
    this.#connect = connect
  }

  async use<T>(work: (api: ApiClient) => Promise<T>): Promise<T> {
    this.#users++
    this.#open ??= this.#closed.then(this.#connect)
    const opened = this.#open
    try {
      return await work(await opened)
    } finally {
      if (--this.#users === 0) {
        this.#open = null
        this.#closed = opened.then((api) => api.close()).catch(() => {})
        await this.#closed
      }
    }
  }
}
