// A worker thread: runs one request after another.
import { parentPort, workerData } from 'node:worker_threads'
import { CodeRunner } from './code-runner.ts'
import { Claims, type RunRequest } from './messages.ts'

const port = parentPort!
const claims = new Claims(workerData as SharedArrayBuffer)
const runner = await CodeRunner.create()
let renewed: Promise<void> | null = null

port.on('message', async (request: RunRequest) => {
  if (renewed) await renewed
  if (!claims.take(request.turn)) return
  port.postMessage(runner.run(request))
  if (runner.isBloated) renewed = runner.renew()
})
port.postMessage('ready')
