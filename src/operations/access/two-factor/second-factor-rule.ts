// Which roles need a second factor, by the setting of the owners.
import type { Role } from '../../ports/access.ts'
import type { SettingStore } from '../../ports/instance.ts'

const NAME = 'two_factor'
export const ROLES: readonly Role[] = ['viewer', 'editor', 'owner']

/** Keeps the setting in memory: it is asked for at each request of a session. */
export class SecondFactorRule {
  readonly #store: SettingStore
  #roles: ReadonlySet<Role> = new Set()

  constructor(store: SettingStore) {
    this.#store = store
  }

  async load(): Promise<void> {
    const names = (await this.#store.get(NAME))?.split(',') ?? []
    this.#roles = new Set(ROLES.filter((role) => names.includes(role)))
  }

  async set(roles: readonly Role[]): Promise<void> {
    await this.#store.set(NAME, roles.length ? roles.join() : null)
    this.#roles = new Set(roles)
  }

  get roles(): Role[] {
    return ROLES.filter((role) => this.#roles.has(role))
  }

  isNeededBy(role: Role): boolean {
    return this.#roles.has(role)
  }
}
