// Follows flows that run on schedules.
import { expect } from 'vitest'
import { openEvents } from './event-stream.ts'
import type { Client } from './millrace.ts'

/** Planned times are this far apart; the jitter of each flow spreads their runs over the time between. */
const EVERY_MS = 10_000

/** Publishes flows that run every ten seconds, and returns their ids. */
export async function publishStaggered(server: Client, count: number): Promise<string[]> {
  const flows: string[] = []
  for (let i = 0; i < count; i++) {
    const trigger = { kind: 'schedule', every: EVERY_MS / 1000, jitter: 9, missed: 'all', overlap: 'allow' }
    const steps = [{ id: 'note', kind: 'set', vars: { at: '{{ schedule.at }}' } }]
    flows.push((await server.publish({ name: `Every ten seconds ${i}`, trigger, steps })).flow.id)
  }
  return flows
}

/** Resolves when the service tells of a run that it has just stored. */
export async function runBegins({ url }: Client): Promise<void> {
  const events = await openEvents(`${url}/api/v1/events`)
  await events.next(({ type, data }) => type === 'run' && data.status === 'queued')
  await events.close()
}

/** Expects each flow to have exactly one run per planned time, from its first time to one that is later than `until`. */
export async function expectEachTimeOnce(server: Client, flows: readonly string[], until: number): Promise<void> {
  const events = await openEvents(`${server.url}/api/v1/events`)
  for (const flow of flows) {
    let times = await timesOf(server, flow)
    // One time alone would show nothing about the one before: where the machine is quick, the first comes after `until`.
    while (times.length < 2 || !times.some((at) => at > until)) {
      await events.next(({ type }) => type === 'run')
      times = await timesOf(server, flow)
    }
    expect(times).toEqual(times.map((_, i) => times[0]! + i * EVERY_MS))
  }
  await events.close()
  expect((await server.api('GET', '/runs?status=failed')).body.items).toEqual([])
}

/** Returns the planned times that have a run, in order. */
async function timesOf(server: Client, flow: string): Promise<number[]> {
  const { items } = (await server.api('GET', `/runs?flow=${flow}&limit=100`)).body as {
    items: { trigger: { at: string } }[]
  }
  return items.map(({ trigger }) => Date.parse(trigger.at)).toSorted((a, b) => a - b)
}
