// node bench/calls.ts [--runs 2000] [--rounds 3]
// Measures what a run costs that calls another and waits for it, beside A: processor time of the service, and the time until all
// runs have ended.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { FLOW_A } from './flows.ts'
import { cpuSeconds } from './load.ts'
import { sleep, startService } from './service.ts'

const { values: options } = parseArgs({
  options: { runs: { type: 'string', default: '2000' }, rounds: { type: 'string', default: '3' } },
})
const RUNS = Number(options.runs)
const AT_ONCE = 32

const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
const service = await startService(dataDir)
const child = {
  name: 'Child',
  slug: 'child',
  trigger: { kind: 'call' },
  steps: [{ id: 'twice', kind: 'set', vars: { twice: '{{ input * 2 }}' } }],
}
await service.publish(child)
const parent = {
  name: 'Parent',
  trigger: { kind: 'webhook' },
  steps: [{ id: 'call', kind: 'call', flow: 'child', input: 21 }],
}
const paths = {
  A: (await service.publish(FLOW_A)).path,
  'parent with a waiting child': (await service.publish(parent)).path,
}

async function isBusy(): Promise<boolean> {
  for (const status of ['queued', 'running', 'waiting']) {
    const { items } = await service.call<{ items: unknown[] }>('GET', `/runs?status=${status}&limit=1`)
    if (items.length) return true
  }
  return false
}

/** Returns the processor time and the time per delivery, in microseconds. */
async function measure(path: string): Promise<{ cpu: number; elapsed: number }> {
  const usedBefore = cpuSeconds(service.pid)
  const begun = performance.now()
  let sent = 0
  const sender = async () => {
    while (sent++ < RUNS) await service.post(path, { name: 'Ada' })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sender))
  while (await isBusy()) await sleep(20)
  const elapsed = ((performance.now() - begun) * 1000) / RUNS
  return { cpu: ((cpuSeconds(service.pid) - usedBefore) * 1e6) / RUNS, elapsed }
}

const rounds: { A: { cpu: number; elapsed: number }; parent: { cpu: number; elapsed: number } }[] = []
for (const path of Object.values(paths)) await measure(path)
for (let round = 0; round < Number(options.rounds); round++)
  rounds.push({ A: await measure(paths.A), parent: await measure(paths['parent with a waiting child']) })

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!
for (const what of ['cpu', 'elapsed'] as const) {
  const a = median(rounds.map(({ A }) => A[what]))
  const called = median(rounds.map((round) => round.parent[what]))
  const ratio = median(rounds.map((round) => round.parent[what] / round.A[what]))
  console.log(
    `${what === 'cpu' ? 'Processor time' : 'Time until all have ended'} per delivery: A ${a.toFixed(0)} µs, a parent with a waiting child ${called.toFixed(0)} µs, ${ratio.toFixed(2)} times A (${rounds.length} rounds of ${RUNS})`,
  )
}
await service.stop()
rmSync(dataDir, { recursive: true, force: true })
