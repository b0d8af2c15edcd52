// Runs code in QuickJS, each time from an untouched image: a text is compiled once, and no run leaves anything to the next.
import { readFileSync } from 'node:fs'
import type { JSValuePointer } from '@jitl/quickjs-ffi-types'
import { packageFile } from '../base/package-files.ts'
import { parseJson } from '../flow/parse-json.ts'
import { explainFailure, neverFinished, outOfMemory, sandboxBroke, timedOut } from './explain-failure.ts'
import { hostFunctions } from './host-functions.ts'
import { KEPT_IMAGES, KEPT_MEMORY_BYTES, LARGEST_KEPT_IMAGE } from './limits.ts'
import type { Failure, RunReply, RunRequest } from './messages.ts'
import { outputProblem, outputTooLarge } from './output-problem.ts'
import { type Extras, GuestError, type GuestWords, type Host, type Image, QuickJs, TooLarge } from './quickjs.ts'
import { compileQuickJs } from './rejection-hook.ts'
import { RunLog } from './run-log.ts'
import { NotStrippable, readsDifferently, stripTypes } from './strip-types.ts'
import type { CompiledModule } from './web-assembly.ts'

const guestFile = (name: string) => readFileSync(packageFile(`src/sandbox/guest/${name}.js`), 'utf8')
const CRYPTO_MODULE =
  'export default crypto; export const { createHash, createHmac, randomUUID, timingSafeEqual } = crypto'

type Ending = { json: string } | { words: GuestWords } | { failure: Failure }

class CodeFailure extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

export class CodeRunner implements Host {
  readonly #compiled: CompiledModule
  readonly #images = new Map<string, Image>()
  #quickJs!: QuickJs
  #base!: Image
  #drive = 0 as JSValuePointer
  #reportUnawaited = 0 as JSValuePointer
  #deadline = 0
  #interrupted = false
  #ending: Ending | null = null
  #log = new RunLog()

  static async create(): Promise<CodeRunner> {
    const runner = new CodeRunner(compileQuickJs())
    await runner.#start()
    return runner
  }

  private constructor(compiled: CompiledModule) {
    this.#compiled = compiled
  }

  async #start(): Promise<void> {
    const quickJs = await QuickJs.create(this.#compiled, this)
    this.#deadline = Number.POSITIVE_INFINITY
    quickJs.start()
    quickJs.evaluate(guestFile('prelude'), 'prelude')
    for (const name of ['text', 'crypto', 'url']) quickJs.evaluate(guestFile(name), name)
    for (const name of ['crypto', 'node:crypto']) quickJs.evaluate(CRYPTO_MODULE, name, true)
    this.#reportUnawaited = quickJs.evaluate('__kit.reportUnawaited', 'prelude')
    this.#drive = quickJs.evaluate(guestFile('finish'), 'prelude')
    this.#base = quickJs.save()
    quickJs.tryRejections()
    this.#quickJs = quickJs
  }

  /** Returns whether `renew` must be called before the next run. */
  get isBloated(): boolean {
    return this.#quickJs.memoryBytes > KEPT_MEMORY_BYTES
  }

  /** Frees the memory of the instance and starts another: images fit every instance of the same build. */
  async renew(): Promise<void> {
    const fresh = await QuickJs.create(this.#compiled, this)
    fresh.adopt(this.#quickJs)
    this.#quickJs = fresh
  }

  run(request: RunRequest): RunReply {
    this.#log = new RunLog()
    this.#ending = null
    this.#interrupted = false
    this.#deadline = Number.POSITIVE_INFINITY
    try {
      return { output: this.#output(request), logs: this.#log.lines }
    } catch (error) {
      const logs = this.#log.lines
      if (this.#interrupted) return { failure: timedOut(request.timeoutMs), logs, broken: false }
      if (error instanceof CodeFailure || error instanceof NotStrippable)
        return { failure: error.failure, logs, broken: false }
      if (error instanceof GuestError)
        return { failure: explainFailure(error.words, request.code, request.memoryBytes), logs, broken: false }
      return { failure: sandboxBroke, logs, broken: true }
    }
  }

  #output(request: RunRequest): string {
    const quickJs = this.#quickJs
    this.#load(request)
    this.#deadline = performance.now() + request.timeoutMs
    quickJs.limitMemory(request.memoryBytes)
    quickJs.withholdMemory()
    const promise = quickJs.call(this.#drive, request.input)
    // The code has ended when no job is left: until then a rejected promise may still be awaited, or another rejected.
    for (let more = true; more && !this.#hasFailed && !quickJs.isRejected(promise); ) {
      more = quickJs.runJob()
      if (this.shouldInterrupt()) throw new CodeFailure(timedOut(request.timeoutMs))
    }
    if (!this.#hasFailed && quickJs.isRejected(promise)) throw new CodeFailure(outOfMemory(request.memoryBytes))
    const reason = this.#hasFailed ? null : quickJs.unhandledReason()
    if (reason) {
      this.#ending = null
      quickJs.call(this.#reportUnawaited, reason)
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

  /** Brings the guest into the state in which the text is compiled and none of it has run. */
  #load({ code, memoryBytes }: RunRequest): void {
    const kept = this.#images.get(code)
    if (kept) {
      this.#images.delete(code)
      this.#images.set(code, kept)
      this.#quickJs.restore(kept)
      return
    }
    this.#compile(code, memoryBytes)
    const image = this.#quickJs.save()
    if (image.heap.length > LARGEST_KEPT_IMAGE) return
    if (this.#images.size >= KEPT_IMAGES) this.#images.delete(this.#images.keys().next().value!)
    this.#images.set(code, image)
  }

  #compile(code: string, memoryBytes: number): void {
    const compile = (source: string) => {
      this.#quickJs.restore(this.#base)
      this.#quickJs.limitMemory(memoryBytes)
      this.#quickJs.compile(source, 'code')
    }
    if (!readsDifferently(code)) {
      try {
        compile(code)
        return
      } catch (error) {
        if (!(error instanceof GuestError && error.words.name === 'SyntaxError')) throw error
      }
    }
    compile(stripTypes(code))
  }

  shouldInterrupt(): boolean {
    if (performance.now() > this.#deadline) this.#interrupted = true
    return this.#interrupted
  }

  call(operation: string, text: string, extras: Extras): string | Uint8Array {
    // Host calls take time that QuickJS does not see, because it counts its own instructions.
    if (this.shouldInterrupt()) throw new GuestError({ name: 'InternalError', message: 'interrupted', stack: '' })
    if (operation === 'done') this.#ending ??= { json: text }
    else if (operation === 'fail') this.#ending ??= { words: wordsOf(text) }
    else return this.#answer(operation, text, extras)
    return ''
  }

  refuse(operation: string): string {
    if (operation === 'done' || operation === 'fail') this.#ending ??= { failure: outputTooLarge }
    return JSON.stringify({ name: 'RangeError', message: 'at most 16 MiB can be passed at once' })
  }

  #answer(operation: string, text: string, extras: Extras): string | Uint8Array {
    try {
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
