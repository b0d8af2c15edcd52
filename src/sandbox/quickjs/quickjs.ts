// One QuickJS in one WebAssembly instance: evaluates, calls and reads values, and answers what the guest asks its host.
import type {
  EvalDetectModule,
  EvalFlags,
  HostRefId,
  IntrinsicsFlags,
  JSContextPointer,
  JSContextPointerPointer,
  JSRuntimePointer,
  JSValueConstPointer,
  JSValueConstPointerPointer,
  JSValuePointer,
  QuickJSEmscriptenModule,
} from '@jitl/quickjs-ffi-types'
import { QuickJSFFI } from '@jitl/quickjs-ng-wasmfile-release-sync/ffi'
import { GUEST_STACK_BYTES, MAX_UNHANDLED_REJECTIONS } from '../limits.ts'
import { CappedMemory } from './capped-memory.ts'
import { GuestError, type GuestWords, Interrupted, NotShort, OUT_OF_MEMORY, TooLarge } from './guest-error.ts'
import { GuestMemory, type Image } from './guest-memory.ts'
import type { Extras, Host } from './host.ts'
import { instantiate } from './instance.ts'
import { hookRejections, placeInTable } from './table-functions.ts'
import type { CompiledModule, Instance } from './web-assembly.ts'

const SCRATCH_BYTES = 64
/** The last place of the scratch memory; the first ones hold arguments. */
const SCRATCH_VALUE = SCRATCH_BYTES - 8

const EVAL_GLOBAL = 0 as EvalFlags
const EVAL_MODULE = 1 as EvalFlags
const COMPILE_MODULE = (1 | 32) as EvalFlags
const NO_DETECT = 0 as EvalDetectModule
const ALL_INTRINSICS = 0 as IntrinsicsFlags
const HOST = 1 as HostRefId

const NO_EXTRAS: Extras = { text: () => '', bytes: () => new Uint8Array(0) }

/** Where an instance keeps what the host needs: the same in every instance that images of one origin are put into. */
export interface Handles {
  runtime: JSRuntimePointer
  context: JSContextPointer
  scratch: number
  breakAddress: number
}

const TOO_MANY_REJECTIONS: GuestWords = {
  name: '',
  message: `${MAX_UNHANDLED_REJECTIONS.toLocaleString('en')} promises and more.`,
  stack: '',
  unawaited: true,
}

export class QuickJs {
  readonly #module: QuickJSEmscriptenModule
  readonly #ffi: QuickJSFFI
  readonly #memory: CappedMemory
  readonly #guest: GuestMemory
  #lastView: Buffer = Buffer.alloc(0)
  #runtime = 0 as JSRuntimePointer
  #context = 0 as JSContextPointer
  #scratch = 0
  readonly #host: Host
  /** Why the host could not answer the guest. An exception of the host must not look like one of the guest, so it waits here. */
  #fault: unknown = null
  readonly #onRejection: number
  /** The rejected promises that nothing awaits yet, held so that no other value gets their address. */
  readonly #unhandled = new Map<number, JSValuePointer>()
  /** The calls out of the instance, other than for interrupts. */
  #callsOut = 0

  /** `handles`: of the instance whose images are put into this one. */
  static async create(
    compiled: CompiledModule,
    host: Host,
    { memory = new CappedMemory(), handles }: { memory?: CappedMemory; handles?: Handles } = {},
  ): Promise<QuickJs> {
    let quickJs: QuickJs | undefined
    const { module, instance } = await instantiate(compiled, memory, {
      onEmpty: () => {
        if (quickJs) quickJs.#onEmpty()
      },
      onCallOut: () => {
        if (quickJs) quickJs.#callsOut++
      },
      onRefusedGrowth: () => {
        if (!host.bounds.areTold) throw new NotShort()
      },
    })
    quickJs = new QuickJs(module, instance, memory, host, handles)
    return quickJs
  }

  private constructor(
    module: QuickJSEmscriptenModule,
    instance: Instance,
    memory: CappedMemory,
    host: Host,
    handles: Handles | undefined,
  ) {
    this.#module = module
    this.#memory = memory
    this.#host = host
    this.#ffi = new QuickJSFFI(module)
    module.callbacks = {
      callFunction: (_: unknown, _context: number, _this: number, argc: number, argv: number) =>
        this.#called(argc, argv),
      shouldInterrupt: () => {
        this.#callsOut--
        return this.#fault !== null || this.#host.shouldInterrupt() ? 1 : 0
      },
      freeHostRef() {},
    } as never
    this.#onRejection = placeInTable(instance, (_, promise, _reason, isHandled) => this.#rejected(promise, isHandled))
    this.#guest = new GuestMemory(memory, instance, (bytes) => module._malloc(bytes), handles?.breakAddress ?? null)
    if (handles) this.adopt(handles)
  }

  /** Makes ready for images of the instance that these are of. */
  adopt({ runtime, context, scratch }: Handles): void {
    this.#runtime = runtime
    this.#context = context
    this.#scratch = scratch
  }

  get handles(): Handles {
    const { breakAddress } = this.#guest
    return { runtime: this.#runtime, context: this.#context, scratch: this.#scratch, breakAddress }
  }

  #onEmpty(): void {
    if (this.#fault !== null) throw this.#fault
    if (this.#host.shouldInterrupt()) throw new Interrupted()
  }

  get memoryBytes(): number {
    return this.#guest.size
  }

  /** Starts a runtime whose global `__host` is the host function. */
  start(): void {
    const ffi = this.#ffi
    this.#runtime = ffi.QTS_NewRuntime()
    hookRejections(this.#memory.buffer, this.#runtime, this.#onRejection)
    ffi.QTS_RuntimeSetMaxStackSize(this.#runtime, GUEST_STACK_BYTES)
    ffi.QTS_RuntimeEnableInterruptHandler(this.#runtime)
    this.#context = ffi.QTS_NewContext(this.#runtime, ALL_INTRINSICS)
    this.#scratch = this.#module._malloc(SCRATCH_BYTES)
    const host = ffi.QTS_NewFunction(this.#context, '', 2, false, HOST)
    const global = ffi.QTS_GetGlobalObject(this.#context)
    const name = this.#newString('__host')
    ffi.QTS_SetProp(this.#context, global, name, host)
    for (const value of [name, global, host]) ffi.QTS_FreeValuePointer(this.#context, value)
  }

  save(): Image {
    return this.#guest.save()
  }

  restore(image: Image): void {
    this.#fault = null
    this.#unhandled.clear()
    this.#guest.restore(image)
  }

  /** Lets the heap grow by this number of bytes from now on. */
  limitMemory(bytes: number): void {
    this.#guest.limit(bytes)
    this.#ffi.QTS_RuntimeSetMemoryLimit(this.#runtime, bytes)
  }

  /** Takes memory beyond the limit away from the guest, until the next image is put back. */
  withholdMemory(): void {
    this.#guest.withhold()
  }

  evaluate(source: string, name: string, asModule = false): JSValuePointer {
    return this.#evaluate(source, name, asModule ? EVAL_MODULE : EVAL_GLOBAL)
  }

  /** Compiles a module without running any of it; `import(name)` finds it. */
  compile(source: string, name: string): void {
    this.#evaluate(source, name, COMPILE_MODULE)
  }

  #evaluate(source: string, name: string, flags: EvalFlags): JSValuePointer {
    const bytes = Buffer.from(source)
    const pointer = this.#write(bytes)
    const value = this.#ffi.QTS_Eval(this.#context, pointer as never, bytes.length, name, NO_DETECT, flags)
    this.#module._free(pointer)
    return this.#unwrap(value)
  }

  /** Calls a function value with texts and values. */
  call(fn: JSValuePointer, ...args: (string | JSValuePointer)[]): JSValuePointer {
    const ffi = this.#ffi
    const values = args.map((arg) => (typeof arg === 'string' ? this.#newString(arg) : arg))
    new Uint32Array(this.#memory.buffer).set(values, this.#scratch >> 2)
    const self = ffi.QTS_GetUndefined()
    const argv = this.#scratch as JSValueConstPointerPointer
    return this.#unwrap(ffi.QTS_Call(this.#context, fn, self, values.length, argv))
  }

  /** Returns why the first rejected promise that nothing awaits was rejected; null if there is none. */
  unhandledReason(): JSValuePointer | null {
    const [first] = this.#unhandled.values()
    return first === undefined ? null : this.#ffi.QTS_PromiseResult(this.#context, first)
  }

  /** Throws unless rejections are noticed. The next image undoes its traces. */
  tryRejections(): void {
    const expectAfter = (source: string, unhandled: number) => {
      this.evaluate(source, 'test')
      if (this.#unhandled.size !== unhandled)
        throw new Error('this build of QuickJS does not tell of rejected promises')
    }
    expectAfter('var p = Promise.reject(1)', 1)
    expectAfter('(async () => { throw 2 })()', 2)
    expectAfter('p.catch(() => {})', 1)
  }

  #rejected(promise: bigint, isHandled: number): void {
    try {
      const address = Number(BigInt.asUintN(32, promise))
      if (isHandled) {
        const held = this.#unhandled.get(address)
        if (held) this.#ffi.QTS_FreeValuePointer(this.#context, held)
        this.#unhandled.delete(address)
        return
      }
      if (this.#unhandled.size === MAX_UNHANDLED_REJECTIONS) throw new GuestError(TOO_MANY_REJECTIONS)
      const value = (this.#scratch + SCRATCH_VALUE) as JSValuePointer
      new BigInt64Array(this.#memory.buffer)[value >> 3] = promise
      const copy = this.#ffi.QTS_DupValuePointer(this.#context, value)
      if (!copy) throw new GuestError(OUT_OF_MEMORY)
      this.#unhandled.set(address, copy)
    } catch (error) {
      this.#fault ??= error
    }
  }

  /** Runs `work`; returns whether nothing could make it end otherwise another time: neither the time nor chance was asked for. */
  isPure(work: () => void): boolean {
    const before = this.#callsOut
    work()
    return this.#callsOut === before && this.#unhandled.size === 0 && this.#fault === null
  }

  isPromise(value: JSValuePointer): boolean {
    return this.#ffi.QTS_PromiseState(this.#context, value) >= 0
  }

  isFulfilled(promise: JSValuePointer): boolean {
    return this.#ffi.QTS_PromiseState(this.#context, promise) === 1
  }

  /** Returns whether the promise was rejected; a run's promise is only if it had no memory left to say why. */
  isRejected(promise: JSValuePointer): boolean {
    return this.#ffi.QTS_PromiseState(this.#context, promise) === 2
  }

  /** Whether promises have a job to run. */
  get hasJob(): boolean {
    return this.#ffi.QTS_IsJobPending(this.#runtime) !== 0
  }

  runJob(): void {
    const ran = this.#ffi.QTS_ExecutePendingJob(this.#runtime, 1, this.#scratch as JSContextPointerPointer)
    this.#ffi.QTS_FreeValuePointer(this.#context, this.#unwrap(ran))
  }

  #unwrap(value: JSValuePointer): JSValuePointer {
    if (this.#fault !== null) throw this.#fault
    const error = this.#ffi.QTS_ResolveException(this.#context, value)
    if (!error) return value
    const property = (name: string): string => {
      const key = this.#newString(name)
      const got = this.#ffi.QTS_GetProp(this.#context, error, key)
      try {
        return this.#readString(got).slice(0, 8000)
      } catch (error) {
        if (error instanceof TooLarge) return ''
        throw error
      }
    }
    throw new GuestError({ name: property('name'), message: property('message'), stack: property('stack') })
  }

  #called(argc: number, argv: number): number {
    try {
      return this.#answer(argc, argv)
    } catch (error) {
      this.#fault ??= error
      return this.#ffi.QTS_GetUndefined()
    }
  }

  #answer(argc: number, argv: number): number {
    if (this.#guest.stackUsed > this.#host.bounds.callStackBytes) throw new NotShort()
    const ffi = this.#ffi
    const argument = (i: number) => ffi.QTS_ArgvGetJSValueConstPointer(argv as JSValueConstPointer, i)
    const operation = argc > 0 ? this.#readString(argument(0)) : ''
    const extra = (index: number) => {
      if (!Number.isInteger(index) || index < 0 || index + 2 >= argc) throw new TypeError('no such argument')
      return argument(index + 2)
    }
    const extras: Extras = {
      text: (index) => this.#readString(extra(index)),
      bytes: (index) => {
        const length = ffi.QTS_GetArrayBufferLength(this.#context, extra(index))
        if (length <= 0) return new Uint8Array(0)
        if (length > this.#host.bounds.crossingBytes) throw new TooLarge()
        const copy = ffi.QTS_GetArrayBuffer(this.#context, extra(index))
        if (!copy) throw new GuestError(OUT_OF_MEMORY)
        const bytes = Uint8Array.prototype.slice.call(this.#view, copy, copy + length)
        this.#module._free(copy)
        return bytes
      },
    }
    const answer = this.#ask(operation, () => (argc > 1 ? this.#readString(argument(1)) : ''), extras)
    if (typeof answer === 'string') return this.#newString(answer)
    return ffi.QTS_NewArrayBuffer(this.#context, this.#write(answer) as never, answer.length)
  }

  /** Tells the host a text as if the guest had called it. */
  tellHost(operation: string, text: JSValuePointer): void {
    this.#ask(operation, () => this.#readString(text), NO_EXTRAS)
  }

  #ask(operation: string, text: () => string, extras: Extras): string | Uint8Array {
    try {
      return this.#host.call(operation, text(), extras)
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
      if (!this.#host.bounds.areTold) throw new NotShort()
      return this.#host.refuse(operation)
    }
  }

  #readString(value: JSValueConstPointer | JSValuePointer): string {
    const pointer = this.#ffi.QTS_GetString(this.#context, value)
    if (!pointer) throw new GuestError(OUT_OF_MEMORY)
    const view = this.#view
    const end = view.indexOf(0, pointer)
    const text = end - pointer > this.#host.bounds.crossingBytes ? null : view.toString('utf8', pointer, end)
    this.#ffi.QTS_FreeCString(this.#context, pointer)
    if (text === null) throw new TooLarge()
    return text
  }

  #newString(text: string): JSValuePointer {
    const length = Buffer.byteLength(text)
    const pointer = this.#allocate(length + 1)
    const view = this.#view
    view.write(text, pointer, length, 'utf8')
    view[pointer + length] = 0
    const value = this.#ffi.QTS_NewString(this.#context, pointer as never)
    this.#module._free(pointer)
    return value
  }

  #write(bytes: Uint8Array): number {
    const pointer = this.#allocate(bytes.length + 1)
    const view = this.#view
    view.set(bytes, pointer)
    view[pointer + bytes.length] = 0
    return pointer
  }

  #allocate(bytes: number): number {
    const pointer = this.#module._malloc(bytes)
    if (pointer === 0) throw new GuestError(OUT_OF_MEMORY)
    return pointer
  }

  get #view(): Buffer {
    const { buffer } = this.#memory
    // Memory that has grown is another buffer.
    if (this.#lastView.buffer !== buffer) this.#lastView = Buffer.from(buffer)
    return this.#lastView
  }
}
