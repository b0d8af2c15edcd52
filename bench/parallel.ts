// node bench/parallel.ts [--runs 200]
// Measures a parallel step with three requests that take 50 ms each, beside the same requests one after the other.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startService } from './service.ts'

const { values: options } = parseArgs({ options: { runs: { type: 'string', default: '200' } } })
const RUNS = Number(options.runs)
const WARM_UP = 20
const UPSTREAM_MS = 50

const upstream = createServer((_request, response) => {
  setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'), UPSTREAM_MS)
})
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
const service = await startService(dataDir, { MILLRACE_EGRESS_ALLOW: 'loopback' })

const requests = ['a', 'b', 'c'].map((id) => ({ id, kind: 'http', method: 'GET', url: `${url}/${id}` }))
const lanes = requests.map((step) => ({ name: step.id, steps: [step] }))

interface Step {
  path: string
  startedAt: string
  finishedAt: string
}

/** Returns how long the steps of each run took, from the first that began to the last that ended. */
async function measure(name: string, steps: object[]): Promise<number[]> {
  const { path } = await service.publish({
    name,
    trigger: { kind: 'webhook', response: { mode: 'finished', body: { id: '{{ run.id }}' } } },
    steps,
  })
  const took: number[] = []
  for (let n = 0; n < WARM_UP + RUNS; n++) {
    const { id } = await service.post(path, { n })
    if (n < WARM_UP) continue
    const run = await service.call<{ steps: Step[] }>('GET', `/runs/${id}`)
    const begun = run.steps.map(({ startedAt }) => Date.parse(startedAt))
    const ended = run.steps.map(({ finishedAt }) => Date.parse(finishedAt))
    took.push(Math.max(...ended) - Math.min(...begun))
  }
  return took.toSorted((a, b) => a - b)
}

const at = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!

for (const [name, steps] of [
  ['in parallel', [{ id: 'p', kind: 'parallel', branches: lanes }]],
  ['one after the other', requests],
] as const) {
  const took = await measure(name, [...steps])
  console.log(
    `Three requests of ${UPSTREAM_MS} ms ${name}: median ${at(took, 0.5)} ms, p99 ${at(took, 0.99)} ms (${RUNS} runs)`,
  )
}
await service.stop()
upstream.close()
rmSync(dataDir, { recursive: true, force: true })
