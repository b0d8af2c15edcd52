// Runs code for the engine: a few worker threads, each with a QuickJS, and a queue before them. Short code does without.
import { Worker } from 'node:worker_threads'
import { CODE } from '../base/error-catalogue.ts'
import { Fifo } from '../base/fifo.ts'
import { threadFile } from '../base/package-files.ts'
import { CodeError, type CodeRequest, type CodeResult, type Sandbox } from '../engine/ports/sandbox.ts'
import { parseJson } from '../flow/json/parse-json.ts'
import { sandboxBroke, timedOut } from './explain-failure.ts'
import { GRACE_MS, IDLE_MS, PATIENCE_MS, WORKER_HEAP_MB, WORKER_STACK_MB, WORKER_YOUNG_MB } from './limits.ts'
import { type Failure, Offers, type RunReply, type RunRequest, type WorkerReady, type WorkerStart } from './messages.ts'
import type { CompiledModule } from './quickjs/web-assembly.ts'
import { ShortCode } from './short-code.ts'

export interface WorkerPool extends Sandbox {
  /** Ends every worker; jobs that run or wait fail as cancelled. */
  close(): Promise<void>
}

export function createSandbox({
  workers = 2,
  short = new ShortCode(),
  idleMs = IDLE_MS,
}: {
  workers?: number
  short?: ShortCode
  idleMs?: number
} = {}): WorkerPool {
  const pool = new Pool(workers, short, idleMs)
  return { run: (request) => pool.run(request), close: () => pool.close() }
}

interface Job {
  request: RunRequest
  settled: boolean
  finish(result: CodeResult): void
  fail(failure: Failure, logs?: string[]): void
}

/** A job that was posted to a worker. */
interface Turn {
  number: number
  job: Job
}

interface Slot {
  worker: Worker
  offers: Offers
  turns: number
  /** The job that the worker runs. */
  running: Turn | null
  /** The job that the worker has received and runs next; the pool may take it back. */
  next: Turn | null
  ready: boolean
  deadline: NodeJS.Timeout | undefined
  /** Ends a worker that nobody needs any more. */
  idle: NodeJS.Timeout | undefined
}

const CANCELLED: Failure = {
  code: CODE.cancelled,
  message: 'The code was cancelled.',
  hint: 'The run was cancelled, or the service is stopping.',
}

class Pool {
  readonly #size: number
  readonly #slots = new Set<Slot>()
  readonly #queue = new Fifo<Job>()
  readonly #short: ShortCode
  readonly #idleMs: number
  #compiled: CompiledModule | null = null
  #watching: NodeJS.Timeout | undefined
  #closed = false

  constructor(size: number, short: ShortCode, idleMs: number) {
    this.#size = size
    this.#short = short
    this.#idleMs = idleMs
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
      request: { turn: 0, code, input: '', timeoutMs, memoryBytes, wantsPrepared: false },
      settled: false,
      finish: (result) => settle(() => resolve(result)),
      fail: ({ code, message, hint }, logs) => settle(() => reject(new CodeError(code, message, hint, logs))),
    }
    if (this.#closed || signal?.aborted) job.fail(CANCELLED)
    else if (this.#writeInput(job, input)) {
      signal?.addEventListener('abort', cancel, { once: true })
      if (this.#short.takes(job.request)) this.#runShort(job)
      else this.#enqueue(job)
    }
    return promise
  }

  #writeInput(job: Job, input: unknown): boolean {
    try {
      job.request.input = isPlainText(input) ? `=${input}` : (JSON.stringify(input) ?? 'null')
      return true
    } catch (error) {
      job.fail({
        code: CODE.code_failed,
        message: `The input cannot be written as JSON: ${(error as Error).message}`,
        hint: 'Pass plain JSON as input.',
      })
      return false
    }
  }

  #runShort(job: Job): void {
    this.#short.run({
      request: job.request,
      isSettled: () => job.settled,
      done: (reply) => {
        if (reply) settleWith(job, reply)
        else this.#enqueue(job)
      },
      cancel: () => job.fail(CANCELLED),
    })
  }

  #enqueue(job: Job): void {
    this.#queue.push(job)
    this.#dispatch()
  }

  #dispatch(): void {
    for (const slot of this.#slots) {
      const isFree = slot.ready && !slot.running
      const job = isFree ? (this.#takeBack() ?? this.#shift()) : undefined
      if (job) this.#begin(slot, this.#post(slot, job))
      else if (isFree) slot.idle ??= setTimeout(() => this.#end(slot), this.#idleMs).unref()
    }
    for (const slot of this.#slots) {
      const job = slot.running && !slot.next ? this.#shift() : undefined
      if (job) slot.next = this.#post(slot, job)
    }
    if (this.#slots.size === 0 && this.#queue.size > 0) this.#spawn()
    this.#watch()
  }

  #shift(): Job | undefined {
    let job = this.#queue.shift()
    while (job?.settled) job = this.#queue.shift()
    return job
  }

  /** Takes back a job that another worker has received and has not begun. */
  #takeBack(): Job | undefined {
    for (const slot of this.#slots) {
      const { next } = slot
      if (!next || next.job.settled || !slot.offers.take(next.number)) continue
      slot.next = null
      return next.job
    }
    return undefined
  }

  #post(slot: Slot, job: Job): Turn {
    // The two turns of a worker have different places among the offers.
    do slot.turns++
    while (slot.running && (slot.turns & 1) === (slot.running.number & 1))
    slot.offers.offer(slot.turns)
    const wantsPrepared = this.#short.wantsPrepared(job.request.code)
    slot.worker.postMessage({ ...job.request, turn: slot.turns, wantsPrepared } satisfies RunRequest)
    return { number: slot.turns, job }
  }

  #begin(slot: Slot, turn: Turn): void {
    clearTimeout(slot.idle)
    slot.idle = undefined
    slot.running = turn
    // QuickJS interrupts most code in time; the timer ends the rest. A reply that came meanwhile is read first.
    slot.deadline = setTimeout(() => {
      setImmediate(() => {
        if (slot.running !== turn) return
        turn.job.fail(timedOut(turn.job.request.timeoutMs))
        this.#discard(slot)
      })
    }, turn.job.request.timeoutMs + GRACE_MS)
  }

  /** Adds a worker if the last job in the queue has not begun after a while. */
  #watch(): void {
    const slots = [...this.#slots]
    if (this.#watching || slots.length >= this.#size || slots.some((slot) => !slot.ready)) return
    const last = this.#queue.last ?? slots.find((slot) => slot.next)?.next?.job
    if (!last) return
    this.#watching = setTimeout(() => {
      this.#watching = undefined
      if (last.settled || [...this.#slots].some((slot) => slot.running?.job === last)) this.#watch()
      else this.#spawn()
    }, PATIENCE_MS)
  }

  #spawn(): void {
    const offers = new Offers()
    const worker = new Worker(threadFile('sandbox/worker'), {
      env: {},
      argv: [],
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdout: true,
      stderr: true,
      workerData: { offers: offers.memory, compiled: this.#compiled } satisfies WorkerStart,
      resourceLimits: {
        stackSizeMb: WORKER_STACK_MB,
        maxOldGenerationSizeMb: WORKER_HEAP_MB,
        maxYoungGenerationSizeMb: WORKER_YOUNG_MB,
      },
    })
    const slot: Slot = {
      worker,
      offers,
      turns: 0,
      running: null,
      next: null,
      ready: false,
      deadline: undefined,
      idle: undefined,
    }
    this.#slots.add(slot)
    worker.on('message', (message: WorkerReady | RunReply) => {
      if (!this.#slots.has(slot)) return
      if ('compiled' in message) {
        slot.ready = true
        this.#compiled = message.compiled
        this.#dispatch()
      } else this.#replied(slot, message)
    })
    worker.on('error', (error) => this.#died(slot, error))
    worker.on('exit', () => this.#died(slot, new Error('it ended')))
  }

  #replied(slot: Slot, reply: RunReply): void {
    const { job } = slot.running!
    clearTimeout(slot.deadline)
    slot.running = null
    if ('failure' in reply && reply.broken) this.#discard(slot)
    else this.#goOn(slot)
    this.#short.learn(job.request.code, reply)
    if (reply.prepared) this.#short.start(this.#compiled!)
    settleWith(job, reply)
  }

  /** Called when the worker has begun its next job, or is about to. */
  #goOn(slot: Slot): void {
    const { next } = slot
    slot.next = null
    if (next) this.#begin(slot, next)
    // The job was cancelled when it could no longer be taken back.
    if (next?.job.settled) this.#discard(slot)
    else this.#dispatch()
  }

  #died(slot: Slot, error: unknown): void {
    if (!this.#slots.has(slot)) return
    slot.running?.job.fail(sandboxBroke)
    // A worker that fails to start would be started again without end.
    if (!slot.ready) for (let job = this.#shift(); job; job = this.#shift()) job.fail(cannotStart(error))
    this.#discard(slot)
  }

  #cancel(job: Job): void {
    job.fail(CANCELLED)
    for (const slot of this.#slots) {
      if (slot.running?.job === job) this.#discard(slot)
      else if (slot.next?.job === job && slot.offers.take(slot.next.number)) slot.next = null
    }
  }

  /** Ends a worker and starts another in its place, unless the worker failed to start. */
  #discard(slot: Slot): void {
    clearTimeout(slot.deadline)
    // The job may have begun: code has no effects but its result, so it may run again.
    if (slot.next) this.#queue.unshift(slot.next.job)
    slot.running = null
    slot.next = null
    this.#end(slot)
    if (this.#closed) return
    if (slot.ready) this.#spawn()
    this.#dispatch()
  }

  #end(slot: Slot): void {
    clearTimeout(slot.idle)
    this.#slots.delete(slot)
    void slot.worker.terminate()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#watching)
    const slots = [...this.#slots]
    for (let job = this.#shift(); job; job = this.#shift()) job.fail(CANCELLED)
    for (const { cancel } of this.#short.drain()) cancel()
    for (const slot of slots) {
      slot.running?.job.fail(CANCELLED)
      slot.next?.job.fail(CANCELLED)
      this.#discard(slot)
    }
    await Promise.all(slots.map((slot) => slot.worker.terminate()))
  }
}

/** Returns whether a text crosses to the guest unchanged: C ends texts at a NUL, and half a surrogate pair has no UTF-8. */
function isPlainText(input: unknown): input is string {
  return typeof input === 'string' && input.isWellFormed() && !input.includes('\0')
}

function settleWith(job: Job, reply: RunReply): void {
  if ('failure' in reply) job.fail(reply.failure, reply.logs)
  else job.finish({ output: parseJson(reply.output), logs: reply.logs })
}

const cannotStart = (error: unknown): Failure => ({
  code: CODE.code_failed,
  message: `The sandbox could not be started: ${error instanceof Error ? error.message : String(error)}`,
  hint: 'This is a fault of the installation, not of the code: the log of the service has more.',
})
