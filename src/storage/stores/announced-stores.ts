// Wraps stores whose data every process keeps in memory: a change returns after the other processes are told of it.
import type { ConnectionStore, GrantStore } from '../../operations/ports/connections.ts'

/** Resolves when the other processes are told, or are certain to be. */
type Changed = () => Promise<void>

const telling =
  <A extends unknown[], R>(change: (...args: A) => Promise<R>, changed: Changed) =>
  async (...args: A): Promise<R> => {
    const result = await change(...args)
    // false: nothing was written.
    if (result !== false) await changed()
    return result
  }

export const announcedConnections = (store: ConnectionStore, changed: Changed): ConnectionStore => ({
  all: store.all,
  create: telling(store.create, changed),
  replace: telling(store.replace, changed),
  recordTest: telling(store.recordTest, changed),
  remove: telling(store.remove, changed),
})

export const announcedGrants = (store: GrantStore, changed: Changed): GrantStore => ({
  all: store.all,
  get: store.get,
  put: telling(store.put, changed),
  remove: telling(store.remove, changed),
})
