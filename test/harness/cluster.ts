// Starts Millrace as several processes on one database: some take deliveries, others run runs.
import { rmSync } from 'node:fs'
import { freePort } from './free-port.ts'
import { type MillraceProcess, spawnMillrace, TEST_KEY, temporaryFolder } from './millrace.ts'

export interface Cluster {
  web: MillraceProcess[]
  workers: MillraceProcess[]
  /** Starts one more process of that role, on the same database. */
  add(role: 'web' | 'worker'): Promise<MillraceProcess>
  /** Ends all processes; returns the exit codes of those that were still there. */
  stop(): Promise<(number | string)[]>
}

export async function startCluster(
  databaseUrl: string,
  counts: { web: number; workers: number },
  environment: Record<string, string> = {},
): Promise<Cluster> {
  const folder = temporaryFolder()
  const web: MillraceProcess[] = []
  const workers: MillraceProcess[] = []
  const add = async (role: 'web' | 'worker') => {
    const started = await spawnMillrace(folder, await freePort(), {
      DATABASE_URL: databaseUrl,
      MILLRACE_SECRET_KEY: TEST_KEY,
      MILLRACE_ROLE: role,
      ...environment,
    })
    const list = role === 'web' ? web : workers
    list.push(started)
    return started
  }
  await Promise.all([
    ...Array.from({ length: counts.web }, () => add('web')),
    ...Array.from({ length: counts.workers }, () => add('worker')),
  ])
  return {
    web,
    workers,
    add,
    async stop() {
      const alive = [...web, ...workers].filter(({ child }) => child.exitCode === null && child.signalCode === null)
      for (const { child } of alive) child.kill('SIGTERM')
      const codes = await Promise.all(alive.map(({ exited }) => exited))
      rmSync(folder, { recursive: true, force: true })
      return codes
    },
  }
}
