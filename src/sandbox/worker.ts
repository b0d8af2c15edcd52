// A worker thread: runs one request after another.
import { parentPort, workerData } from 'node:worker_threads'
import { CodeRunner } from './code-runner.ts'
import { Offers, type RunRequest, type WorkerReady, type WorkerStart } from './messages.ts'

const port = parentPort!
const start = workerData as WorkerStart
const offers = new Offers(start.offers)
const runner = await CodeRunner.create(start.compiled ?? undefined)
let renewed: Promise<void> | null = null

port.on('message', async (request: RunRequest) => {
  if (renewed) await renewed
  if (!offers.take(request.turn)) return
  port.postMessage(runner.run(request))
  if (runner.isBloated) renewed = runner.renew()
})
port.postMessage({ compiled: runner.compiled } satisfies WorkerReady)
