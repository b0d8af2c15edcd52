// Runs code in a worker, each time from an untouched image: a text is compiled once, and no run leaves anything to the next.
import { readFileSync } from 'node:fs'
import type { JSValuePointer } from '@jitl/quickjs-ffi-types'
import { packageFile } from '../base/package-files.ts'
import { CodeFailure, GuestRun } from './guest-run.ts'
import {
  KEPT_IMAGES,
  KEPT_MEMORY_BYTES,
  LARGEST_KEPT_IMAGE,
  LARGEST_PREPARED_GROWTH,
  MAX_CROSSING_BYTES,
  PREPARING_MS,
} from './limits.ts'
import type { Prepared, RunReply, RunRequest } from './messages.ts'
import { GuestError } from './quickjs/guest-error.ts'
import type { Image } from './quickjs/guest-memory.ts'
import type { Bounds } from './quickjs/host.ts'
import { compileQuickJs } from './quickjs/instance.ts'
import type { CompiledModule } from './quickjs/web-assembly.ts'
import { NotStrippable, readsDifferently, stripTypes } from './strip-types.ts'

const guestFile = (name: string) => readFileSync(packageFile(`src/sandbox/guest/${name}.js`), 'utf8')
const CRYPTO_MODULE =
  'export default crypto; export const { createHash, createHmac, randomUUID, timingSafeEqual } = crypto'

const BOUNDS: Bounds = {
  crossingBytes: MAX_CROSSING_BYTES,
  argumentBytes: MAX_CROSSING_BYTES,
  callStackBytes: Number.POSITIVE_INFINITY,
  memoryBytes: Number.POSITIVE_INFINITY,
  freeLooks: 0,
  areTold: true,
}

export class CodeRunner {
  readonly compiled: CompiledModule
  readonly #guest: GuestRun
  readonly #prepared = new Map<string, Prepared>()
  #base!: Prepared
  #prepare = 0 as JSValuePointer

  static async create(compiled: CompiledModule = compileQuickJs()): Promise<CodeRunner> {
    const runner = new CodeRunner(compiled, await GuestRun.create(compiled, BOUNDS))
    runner.#start()
    return runner
  }

  private constructor(compiled: CompiledModule, guest: GuestRun) {
    this.compiled = compiled
    this.#guest = guest
  }

  #start(): void {
    const { quickJs } = this.#guest
    quickJs.start()
    quickJs.evaluate(guestFile('prelude'), 'prelude')
    for (const name of ['text', 'crypto', 'url', 'formats']) quickJs.evaluate(guestFile(name), name)
    for (const name of ['crypto', 'node:crypto']) quickJs.evaluate(CRYPTO_MODULE, name, true)
    const reportUnawaited = quickJs.evaluate('__kit.reportUnawaited', 'prelude')
    this.#prepare = quickJs.evaluate('__kit.prepare', 'prelude')
    const drive = quickJs.evaluate(guestFile('finish'), 'prelude')
    this.#base = { image: quickJs.save(), handles: quickJs.handles, drive, reportUnawaited }
    quickJs.tryRejections()
  }

  /** Returns whether `renew` must be called before the next run. */
  get isBloated(): boolean {
    return this.#guest.quickJs.memoryBytes > KEPT_MEMORY_BYTES
  }

  /** Frees the memory of the instance and starts another: images fit every instance of the same build. */
  renew(): Promise<void> {
    return this.#guest.renew(this.compiled)
  }

  run(request: RunRequest): RunReply {
    const reply = this.#guest.run(request, () => this.#load(request))
    const prepared = request.wantsPrepared ? this.#prepared.get(request.code) : undefined
    return prepared ? { ...reply, prepared } : reply
  }

  #load({ code, memoryBytes }: RunRequest): Prepared {
    const kept = this.#prepared.get(code)
    if (kept) {
      this.#prepared.delete(code)
      this.#prepared.set(code, kept)
      this.#guest.quickJs.restore(kept.image)
      return kept
    }
    const prepared = this.#prepareText(code, memoryBytes)
    if (prepared.image.heap.length <= LARGEST_KEPT_IMAGE) {
      if (this.#prepared.size >= KEPT_IMAGES) this.#prepared.delete(this.#prepared.keys().next().value!)
      this.#prepared.set(code, prepared)
    }
    return prepared
  }

  /** Compiles the text, and lets it run up to its function where that can never come out differently. */
  #prepareText(code: string, memoryBytes: number): Prepared {
    const { quickJs } = this.#guest
    this.#compile(code, memoryBytes)
    const compiled = quickJs.save()
    const image = this.#evaluated(compiled, memoryBytes) ?? compiled
    quickJs.restore(image)
    return { ...this.#base, image }
  }

  /** Returns null if the text does anything before its function is called that each run has to do by itself. */
  #evaluated(compiled: Image, memoryBytes: number): Image | null {
    const { quickJs } = this.#guest
    let isReady = false
    try {
      this.#guest.endBy(performance.now() + PREPARING_MS)
      quickJs.limitMemory(memoryBytes)
      const isPure = quickJs.isPure(() => {
        const promise = quickJs.call(this.#prepare)
        while (quickJs.hasJob && !quickJs.isFulfilled(promise)) quickJs.runJob()
        isReady = !quickJs.hasJob && quickJs.isFulfilled(promise)
      })
      const image = isReady && isPure ? quickJs.save() : null
      return image && image.heap.length <= compiled.heap.length + LARGEST_PREPARED_GROWTH ? image : null
    } catch {
      // The run itself says what is wrong with the text.
      return null
    } finally {
      this.#guest.endBy(Number.POSITIVE_INFINITY)
    }
  }

  #compile(code: string, memoryBytes: number): void {
    const { quickJs } = this.#guest
    const compile = (source: string) => {
      quickJs.restore(this.#base.image)
      quickJs.limitMemory(memoryBytes)
      quickJs.compile(source, 'code')
    }
    if (!readsDifferently(code)) {
      try {
        compile(code)
        return
      } catch (error) {
        if (!(error instanceof GuestError && error.words.name === 'SyntaxError')) throw error
      }
    }
    try {
      compile(stripTypes(code))
    } catch (error) {
      throw error instanceof NotStrippable ? new CodeFailure(error.failure) : error
    }
  }
}
