// A database that is reached through a proxy, which can lose the reply to a commit.
import { type CuttingProxy, startCuttingProxy } from '../../../test/harness/cutting-proxy.ts'
import { query, startDatabases } from '../../../test/harness/postgres.ts'
import { openPostgres, type PostgresStorage } from './database.ts'

export interface BehindProxy {
  /** The address without the proxy. */
  url: string
  proxy: CuttingProxy
  storage: PostgresStorage
  /** Returns what was counted of a flow. */
  countsOf(flowId: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

const COUNTS = 'select counter, sum(count)::int as count from flow_delta where flow_id = $1 group by 1 order by 1'

export async function openBehindProxy(patienceMs?: number): Promise<BehindProxy> {
  const databases = await startDatabases()
  const url = await databases.create()
  const { hostname, port } = new URL(url)
  const proxy = await startCuttingProxy({ host: hostname, port: Number(port || 5432) })
  const through = new URL(url)
  through.host = `127.0.0.1:${proxy.port}`
  const storage = await openPostgres(through.href, patienceMs)
  return {
    url,
    proxy,
    storage,
    countsOf: (flowId) => query(url, COUNTS, [flowId]),
    async close() {
      await storage.close()
      await proxy.close()
      await databases.stop()
    },
  }
}
