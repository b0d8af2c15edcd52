// Runs prepared code in one QuickJS, and says what came of it: the same in a worker and on the main thread.
import { parseJson } from '../flow/json/parse-json.ts'
import { explainFailure, neverFinished, outOfMemory, sandboxBroke, timedOut } from './explain-failure.ts'
import { hostFunctions, textFunctions } from './host-functions.ts'
import type { Failure, Prepared, RunReply, RunRequest } from './messages.ts'
import { outputProblem, outputTooLarge } from './output-problem.ts'
import { GuestError, type GuestWords, NotShort, TooLarge } from './quickjs/guest-error.ts'
import type { Bounds, Extras, Host } from './quickjs/host.ts'
import { QuickJs } from './quickjs/quickjs.ts'
import type { CompiledModule } from './quickjs/web-assembly.ts'
import { RunLog } from './run-log.ts'

type Ending = { json: string } | { words: GuestWords } | { failure: Failure }

export class CodeFailure extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

export class GuestRun implements Host {
  readonly bounds: Bounds
  quickJs!: QuickJs
  #deadline = Number.POSITIVE_INFINITY
  /** How often the guest has let the host look at the clock. */
  #looks = 0
  #interrupted = false
  #ending: Ending | null = null
  #log = new RunLog()
  #beganMs = 0

  private constructor(bounds: Bounds) {
    this.bounds = bounds
  }

  static async create(compiled: CompiledModule, bounds: Bounds): Promise<GuestRun> {
    const run = new GuestRun(bounds)
    run.quickJs = await QuickJs.create(compiled, run)
    return run
  }

  /** Goes on in a new instance. */
  async renew(compiled: CompiledModule): Promise<void> {
    this.quickJs = await QuickJs.create(compiled, this, { handles: this.quickJs.handles })
  }

  /** `load` brings the guest into the state in which the code may run. `limitMs`: besides the request's own. */
  run(request: RunRequest, load: () => Prepared, limitMs = Number.POSITIVE_INFINITY): RunReply {
    this.#forget()
    this.#beganMs = performance.now()
    try {
      const prepared = load()
      // To prepare a text may mean to try what it does at its top level.
      this.#forget()
      this.#beganMs = performance.now()
      this.endBy(this.#beganMs + Math.min(request.timeoutMs, limitMs))
      const output = this.#output(request, prepared)
      return { output, logs: this.#log.lines, tookMs: performance.now() - this.#beganMs }
    } catch (error) {
      return { ...this.#failed(request, error), logs: this.#log.lines, tookMs: performance.now() - this.#beganMs }
    }
  }

  #forget(): void {
    this.#log = new RunLog()
    this.#ending = null
    this.endBy(Number.POSITIVE_INFINITY)
  }

  #failed(request: RunRequest, error: unknown): { failure: Failure; broken: boolean } {
    if (error instanceof NotShort) throw error
    if (this.#interrupted) return { failure: timedOut(request.timeoutMs), broken: false }
    if (error instanceof CodeFailure) return { failure: error.failure, broken: false }
    if (error instanceof GuestError)
      return { failure: explainFailure(error.words, request.code, request.memoryBytes), broken: false }
    return { failure: sandboxBroke, broken: true }
  }

  #output(request: RunRequest, { drive, reportUnawaited }: Prepared): string {
    const { quickJs } = this
    quickJs.limitMemory(Math.min(request.memoryBytes, this.bounds.memoryBytes))
    quickJs.withholdMemory()
    const returned = quickJs.call(drive, request.input)
    const promise = quickJs.isPromise(returned) ? returned : null
    if (promise === null) quickJs.tellHost('done', returned)
    const isRejected = () => promise !== null && !this.#hasFailed && quickJs.isRejected(promise)
    // The code has ended when no job is left: until then a rejected promise may still be awaited, or another rejected.
    while (quickJs.hasJob && !this.#hasFailed && !isRejected()) {
      quickJs.runJob()
      if (this.shouldInterrupt()) throw new CodeFailure(timedOut(request.timeoutMs))
    }
    if (isRejected()) throw new CodeFailure(outOfMemory(request.memoryBytes))
    const reason = this.#hasFailed ? null : quickJs.unhandledReason()
    if (reason) {
      this.#ending = null
      quickJs.call(reportUnawaited, reason)
    }
    const ending = this.#ending as Ending | null
    if (ending === null) throw new CodeFailure(neverFinished)
    if ('failure' in ending) throw new CodeFailure(ending.failure)
    if ('words' in ending) throw new GuestError(ending.words)
    const problem = outputProblem(ending.json)
    if (problem) throw new CodeFailure(problem)
    return ending.json
  }

  get #hasFailed(): boolean {
    return this.#ending !== null && !('json' in this.#ending)
  }

  /** Sets when the guest is interrupted, on the clock of `performance.now`. */
  endBy(deadline: number): void {
    this.#deadline = deadline
    this.#interrupted = false
    this.#looks = 0
  }

  shouldInterrupt(): boolean {
    // A guest that has done little cannot have taken the time: other processes had the processor meanwhile.
    if (++this.#looks >= this.bounds.freeLooks && performance.now() > this.#deadline) this.#interrupted = true
    return this.#interrupted
  }

  call(operation: string, text: string, extras: Extras): string | Uint8Array {
    // Host calls take time that the meter does not see.
    if (this.shouldInterrupt()) throw new GuestError({ name: 'InternalError', message: 'interrupted', stack: '' })
    // An empty text is no JSON: the guest has said already how it ended.
    if (operation === 'done') this.#ending ??= text === '' ? null : { json: text }
    else if (operation === 'fail') this.#ending ??= { words: wordsOf(text) }
    else return this.#answer(operation, text, extras)
    return ''
  }

  refuse(operation: string): string {
    if (operation === 'done' || operation === 'fail') this.#ending ??= { failure: outputTooLarge }
    return JSON.stringify({ name: 'RangeError', message: 'at most 16 MiB can be passed at once' })
  }

  #answer(operation: string, text: string, extras: Extras): string | Uint8Array {
    if (text.length > this.bounds.argumentBytes) throw new TooLarge()
    try {
      const answerText = textFunctions.get(operation)
      if (answerText) return answerText(text, extras)
      const args = parseJson(text)
      if (operation === 'log') return JSON.stringify([this.#log.write(...(args as [unknown, unknown]))])
      const answer = hostFunctions.get(operation)
      if (!answer) throw new TypeError('no such operation')
      const value = answer(args, extras)
      return value instanceof Uint8Array ? value : JSON.stringify([value])
    } catch (error) {
      if (error instanceof GuestError || error instanceof TooLarge) throw error
      const { name, message } = error as Error
      return JSON.stringify({ name, message })
    }
  }
}

/** Parses what the guest says of an error, which may be any text. */
function wordsOf(text: string): GuestWords {
  const { name, message, stack, serialising, unawaited } = parseJson(text) as Record<string, unknown>
  return {
    name: String(name),
    message: String(message),
    stack: String(stack),
    serialising: serialising === true,
    unawaited: unawaited === true,
  }
}
