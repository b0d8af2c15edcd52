// Waits until what is done because a run failed has ended.
import type { RunView } from '../../src/operations/runs/read-runs.ts'
import { type Client, TOKEN } from './millrace.ts'

export type HandledRun = RunView & { onFailure: NonNullable<RunView['onFailure']> }

export async function handledRun({ url, run }: Client & { url: string }, id: string): Promise<HandledRun> {
  const ending = new AbortController()
  const headers = { authorization: `Bearer ${TOKEN}` }
  const response = await fetch(`${url}/api/v1/runs/${id}/events`, { headers, signal: ending.signal })
  try {
    // Each event may be the one.
    for await (const _event of response.body!) {
      const view = await run(id)
      if (view.onFailure && ['succeeded', 'failed', 'cancelled'].includes(view.onFailure.status))
        return view as HandledRun
    }
  } finally {
    ending.abort()
  }
  throw new Error(`the events of run ${id} ended early`)
}
