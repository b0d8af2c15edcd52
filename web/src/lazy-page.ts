// Pages are fetched when they are first opened. One that cannot be had: the service is away, or was updated since this page was loaded.
import { lazyRouteComponent } from '@tanstack/react-router'
import { Unreachable } from './api/api-client.ts'
import { reachability } from './api/reachability.ts'

const RELOADED_AT = 'millrace-reloaded-at'
const NOT_AGAIN_WITHIN_MS = 30_000

export const lazyPage: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(async () => {
    try {
      return await importer()
    } catch (error) {
      if (!(await reachability.answers())) throw new Unreachable()
      const last = Number(sessionStorage.getItem(RELOADED_AT) ?? 0)
      if (Date.now() - last < NOT_AGAIN_WITHIN_MS) throw error
      sessionStorage.setItem(RELOADED_AT, String(Date.now()))
      location.reload()
      return await new Promise<never>(() => {})
    }
  }, name)
