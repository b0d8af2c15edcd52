// A worker thread: runs one request after the other.
import { parentPort } from 'node:worker_threads'
import { CodeRunner } from './code-runner.ts'
import type { RunRequest } from './messages.ts'

const port = parentPort!
const runner = await CodeRunner.create()
let renewed: Promise<void> | null = null

port.on('message', async (request: RunRequest) => {
  if (renewed) await renewed
  port.postMessage(runner.run(request))
  if (runner.isBloated) renewed = runner.renew()
})
port.postMessage('ready')
