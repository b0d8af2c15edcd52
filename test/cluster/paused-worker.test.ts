// Tests that a worker whose runs others took over while it stood still does not send what it was about to send.
import { expect, it } from 'vitest'
import { startCluster } from '../harness/cluster.ts'
import { query, startDatabases } from '../harness/postgres.ts'
import { startUpstream } from '../harness/upstream.ts'

const RUNS = 5

it('sends nothing of the runs that others finished while it stood still', { timeout: 120_000 }, async () => {
  let release = () => {}
  const sink = await startUpstream((_request, response) => {
    if (sink.received.length === 1) release = () => response.end('{}')
    else response.end('{}')
  })
  const databases = await startDatabases()
  const url = await databases.create()
  // Runs go one at a time: the others wait for their turn, each with a claim that was confirmed.
  const cluster = await startCluster(
    url,
    { web: 1, workers: 1 },
    { MILLRACE_ENV_SINK: sink.url, MILLRACE_HTTP_PER_HOST: '1' },
  )
  const { post } = await cluster.web[0]!.publish({
    name: 'One by one',
    trigger: { kind: 'webhook' },
    steps: [
      {
        id: 'call',
        kind: 'http',
        method: 'POST',
        url: '{{ env.SINK }}',
        body: { kind: 'text', value: '{{ run.id }}' },
      },
    ],
  })
  const deliver = () => post({})
  for (let n = 0; n < RUNS; n++) expect((await deliver()).status).toBe(200)
  await sink.count(1)
  await until(url, `select count(*)::int as n from step where status = 'running'`, RUNS)

  const [paused] = cluster.workers
  paused!.child.kill('SIGSTOP')
  await cluster.add('worker')
  await until(url, `select count(*)::int as n from run where status = 'succeeded'`, RUNS)
  release()
  paused!.child.kill('SIGCONT')
  // The worker has noticed once it counts as another worker.
  await until(url, `select count(*)::int as n from worker`, 2)
  expect((await deliver()).status).toBe(200)
  await until(url, `select count(*)::int as n from run where status = 'succeeded'`, RUNS + 1)

  const [first, ...others] = sink.received.map(({ body }) => body)
  expect(others.filter((body) => body === first)).toHaveLength(1)
  expect(others.toSorted()).toEqual([...new Set(others)].toSorted())
  await cluster.stop()
  await databases.stop()
  await sink.close()
})

async function until(url: string, text: string, n: number): Promise<void> {
  while ((await query(url, text))[0].n !== n) await new Promise((resolve) => setTimeout(resolve, 100))
}
