// The sandbox as the engine sees it: a few worker threads, each with a QuickJS, and a queue before them.
import { Worker } from 'node:worker_threads'
import { CodeError, type CodeRequest, type CodeResult, type Sandbox } from '../engine/sandbox.ts'
import { parseJson } from '../flow/parse-json.ts'
import { threadFile } from '../package-files.ts'
import { sandboxBroke, timedOut } from './explain-failure.ts'
import { GRACE_MS, WORKER_HEAP_MB, WORKER_STACK_MB, WORKER_YOUNG_MB } from './limits.ts'
import type { Failure, RunReply, RunRequest } from './messages.ts'

export interface WorkerPool extends Sandbox {
  /** Ends every worker; what is under way or waiting fails as cancelled. */
  close(): Promise<void>
}

export function createSandbox({ workers = 2 }: { workers?: number } = {}): WorkerPool {
  const pool = new Pool(workers)
  return { run: (request) => pool.run(request), close: () => pool.close() }
}

interface Job {
  request: RunRequest
  settled: boolean
  finish(result: CodeResult): void
  fail(failure: Failure, logs?: string[]): void
}

interface Slot {
  worker: Worker
  /** The one it runs. */
  job: Job | null
  ready: boolean
  deadline: NodeJS.Timeout | undefined
}

const CANCELLED: Failure = {
  code: 'cancelled',
  message: 'The code was cancelled.',
  hint: 'The run was cancelled, or the service is stopping.',
}

class Pool {
  readonly #size: number
  readonly #slots = new Set<Slot>()
  readonly #idle: Slot[] = []
  #queue: Job[] = []
  #next = 0
  #closed = false

  constructor(size: number) {
    this.#size = size
  }

  run({ code, input, timeoutMs, memoryBytes, signal }: CodeRequest): Promise<CodeResult> {
    const { promise, resolve, reject } = Promise.withResolvers<CodeResult>()
    const cancel = () => this.#cancel(job)
    const settle = (done: () => void) => {
      if (job.settled) return
      job.settled = true
      signal?.removeEventListener('abort', cancel)
      done()
    }
    const job: Job = {
      request: { code, input: '', timeoutMs, memoryBytes },
      settled: false,
      finish: (result) => settle(() => resolve(result)),
      fail: ({ code, message, hint }, logs) => settle(() => reject(new CodeError(code, message, hint, logs))),
    }
    if (this.#closed || signal?.aborted) job.fail(CANCELLED)
    else {
      try {
        job.request.input = JSON.stringify(input) ?? 'null'
        signal?.addEventListener('abort', cancel, { once: true })
        this.#queue.push(job)
        this.#dispatch()
      } catch (error) {
        job.fail({
          code: 'code_failed',
          message: `The input cannot be written as JSON: ${(error as Error).message}`,
          hint: 'Pass plain JSON as input.',
        })
      }
    }
    return promise
  }

  #dispatch(): void {
    while (this.#next < this.#queue.length) {
      if (this.#queue[this.#next]!.settled) {
        this.#next++
        continue
      }
      const slot = this.#idle.pop()
      if (!slot) break
      this.#begin(slot, this.#queue[this.#next++]!)
    }
    if (this.#next > 1000 || this.#next === this.#queue.length) {
      this.#queue = this.#queue.slice(this.#next)
      this.#next = 0
    }
    const starting = [...this.#slots].filter((slot) => !slot.ready).length
    if (this.#queue.length - this.#next > starting && this.#slots.size < this.#size) this.#spawn()
  }

  #begin(slot: Slot, job: Job): void {
    slot.job = job
    slot.worker.postMessage(job.request)
    // QuickJS interrupts most code in time; this is for the rest. A reply that came meanwhile is taken first.
    slot.deadline = setTimeout(() => {
      setImmediate(() => {
        if (slot.job !== job) return
        job.fail(timedOut(job.request.timeoutMs))
        this.#discard(slot)
      })
    }, job.request.timeoutMs + GRACE_MS)
  }

  #spawn(): void {
    const worker = new Worker(threadFile('sandbox/worker'), {
      env: {},
      argv: [],
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdout: true,
      stderr: true,
      resourceLimits: {
        stackSizeMb: WORKER_STACK_MB,
        maxOldGenerationSizeMb: WORKER_HEAP_MB,
        maxYoungGenerationSizeMb: WORKER_YOUNG_MB,
      },
    })
    const slot: Slot = { worker, job: null, ready: false, deadline: undefined }
    this.#slots.add(slot)
    worker.on('message', (message: 'ready' | RunReply) => {
      if (message === 'ready') {
        slot.ready = true
        this.#free(slot)
      } else this.#replied(slot, message)
    })
    worker.on('error', (error) => this.#died(slot, error))
    worker.on('exit', () => this.#died(slot, new Error('it ended')))
  }

  #free(slot: Slot): void {
    if (!this.#slots.has(slot)) return
    this.#idle.push(slot)
    this.#dispatch()
  }

  #replied(slot: Slot, reply: RunReply): void {
    const job = slot.job
    if (!job) return
    clearTimeout(slot.deadline)
    slot.job = null
    if ('failure' in reply && reply.broken) this.#discard(slot)
    else this.#free(slot)
    if ('failure' in reply) job.fail(reply.failure, reply.logs)
    else job.finish({ output: parseJson(reply.output), logs: reply.logs })
  }

  #died(slot: Slot, error: unknown): void {
    if (!this.#slots.has(slot)) return
    slot.job?.fail(sandboxBroke)
    // A worker that cannot even start would be started again without end.
    if (!slot.ready) for (const job of this.#queue.slice(this.#next)) job.fail(cannotStart(error))
    this.#discard(slot)
  }

  #cancel(job: Job): void {
    const slot = [...this.#slots].find((one) => one.job === job)
    job.fail(CANCELLED)
    if (slot) this.#discard(slot)
  }

  /** Ends a worker; another takes its place at once, unless it was one that could not start. */
  #discard(slot: Slot): void {
    clearTimeout(slot.deadline)
    slot.job = null
    this.#slots.delete(slot)
    const at = this.#idle.indexOf(slot)
    if (at !== -1) this.#idle.splice(at, 1)
    void slot.worker.terminate()
    if (this.#closed) return
    if (slot.ready) this.#spawn()
    this.#dispatch()
  }

  async close(): Promise<void> {
    this.#closed = true
    const slots = [...this.#slots]
    for (const job of this.#queue.slice(this.#next)) job.fail(CANCELLED)
    for (const slot of slots) {
      slot.job?.fail(CANCELLED)
      this.#discard(slot)
    }
    await Promise.all(slots.map((slot) => slot.worker.terminate()))
  }
}

const cannotStart = (error: unknown): Failure => ({
  code: 'code_failed',
  message: `The sandbox could not be started: ${error instanceof Error ? error.message : String(error)}`,
  hint: 'This is a fault of the installation, not of the code: the log of the service has more.',
})
