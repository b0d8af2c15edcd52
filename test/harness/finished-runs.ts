// Reads the runs of a flow when all have ended.
import { createClient } from './millrace.ts'

/** Returns all runs of the flow, once none is under way. */
export async function finishedRuns(
  { url }: { url: string },
  flowId: string,
): Promise<{ id: string; status: string }[]> {
  const client = createClient(url)
  for (const status of ['queued', 'running', 'waiting'])
    for (;;) {
      const { items } = (await client.api('GET', `/runs?flow=${flowId}&status=${status}&limit=1`)).body
      if (items.length === 0) break
      await client.runEnded(items[0].id)
    }
  const runs: { id: string; status: string }[] = []
  for (let cursor = ''; ; ) {
    const { items, nextCursor } = (await client.api('GET', `/runs?flow=${flowId}&limit=200${cursor}`)).body
    runs.push(...items)
    if (!nextCursor) return runs
    cursor = `&cursor=${nextCursor}`
  }
}
