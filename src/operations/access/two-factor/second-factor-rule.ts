// Which roles need a second factor, by the setting of the owners.
import type { SettingStore } from '../../ports/instance.ts'

const NAME = 'two_factor'

/** Keeps the setting in memory: it is asked for at each request of a session. */
export class SecondFactorRule {
  readonly #store: SettingStore
  #roles: ReadonlySet<string> = new Set()

  constructor(store: SettingStore) {
    this.#store = store
  }

  async load(): Promise<void> {
    const names = (await this.#store.get(NAME))?.split(',') ?? []
    this.#roles = new Set(names)
  }

  async set(roles: readonly string[]): Promise<void> {
    await this.#store.set(NAME, roles.length ? roles.join() : null)
    this.#roles = new Set(roles)
  }

  get roles(): string[] {
    return [...this.#roles]
  }

  isNeededBy(role: string): boolean {
    return this.#roles.has(role)
  }
}
