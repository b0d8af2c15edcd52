// Serves commands that stay: it connects for each piece of work and disconnects afterwards, so that `millrace serve` can take the
// data folder in between, and the next piece of work finds the server that holds it.
import type { ApiClient } from './api-client.ts'

export class SharedClient {
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
