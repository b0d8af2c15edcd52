// A worker thread: runs one request after another.
import { parentPort, workerData } from 'node:worker_threads'
import { CodeRunner } from './code-runner.ts'
import { Offers, type RunRequest } from './messages.ts'

const port = parentPort!
const offers = new Offers(workerData as SharedArrayBuffer)
const runner = await CodeRunner.create()
let renewed: Promise<void> | null = null

port.on('message', async (request: RunRequest) => {
  if (renewed) await renewed
  if (!offers.take(request.turn)) return
  port.postMessage(runner.run(request))
  if (runner.isBloated) renewed = runner.renew()
})
port.postMessage('ready')
