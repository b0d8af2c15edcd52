// node bench/pick-up.ts [deliveries]: measures the time from the acknowledgement of a delivery to the first request of its
// run, if one process takes deliveries and another runs them. Deliveries come one after another, so none waits in line.
import { createServer } from 'node:http'
import { startCluster } from '../test/harness/cluster.ts'
import { startPostgres } from '../test/harness/postgres.ts'

const count = Number(process.argv[2] ?? 300)
const WARM = 50

const arrived = new Map<string, (at: number) => void>()
const upstream = createServer((request, response) => {
  arrived.get(request.url!.slice(1))?.(performance.now())
  request.resume()
  response.end('{}')
})
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
const { port } = upstream.address() as { port: number }

const postgres = await startPostgres()
const cluster = await startCluster(await postgres.createEmpty(), { web: 1, workers: 1 })
const { post } = await cluster.web[0]!.publish({
  name: 'Pick-up',
  trigger: { kind: 'webhook' },
  steps: [{ id: 'call', kind: 'http', method: 'GET', url: `http://127.0.0.1:${port}/{{ webhook.body.n }}` }],
})
const times: number[] = []
for (let n = 0; n < count + WARM; n++) {
  const seen = new Promise<number>((resolve) => arrived.set(String(n), resolve))
  const { status } = await post({ n })
  if (status !== 200) throw new Error(`the webhook answered ${status}`)
  const acknowledged = performance.now()
  const at = await seen
  arrived.delete(String(n))
  if (n >= WARM) times.push(at - acknowledged)
}
times.sort((a, b) => a - b)
const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(1)
console.log(`${count} deliveries: pick-up median ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`)
await cluster.stop()
await postgres.stop()
upstream.closeAllConnections()
upstream.close()
