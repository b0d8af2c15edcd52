// Measures how long a start takes: from the spawn of the process to its answer to the first webhook.
import { FLOW_A } from './flows.ts'
import { temporaryFolder } from './folder.ts'
import { startService } from './service.ts'

/** Returns milliseconds, the shortest first. */
export async function startTimes(count: number): Promise<number[]> {
  const dataDir = temporaryFolder()
  const first = await startService(dataDir)
  const { path } = await first.publish(FLOW_A)
  await first.stop()
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const service = await startService(dataDir)
    await service.post(path, { total: 1 })
    times.push(Math.round(performance.now() - service.startedAt))
    await service.stop()
  }
  return times.toSorted((a, b) => a - b)
}
