// One QuickJS in one WebAssembly instance, whose whole state can be saved as an image and put back.
// An image is the used part of the linear memory. QuickJS keeps nothing outside it but the stack pointer, which is
// back at its base whenever no call is under way; so putting an image back undoes everything that a script did.
import type {
  EmscriptenModuleLoader,
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
import loadModule from '@jitl/quickjs-ng-wasmfile-release-sync/emscripten-module'
import { QuickJSFFI } from '@jitl/quickjs-ng-wasmfile-release-sync/ffi'
import { CappedMemory, PAGE_BYTES } from './capped-memory.ts'
import { GUEST_STACK_BYTES, MAX_CROSSING_BYTES, MAX_UNHANDLED_REJECTIONS } from './limits.ts'
import { hookRejections, placeInTable } from './rejection-hook.ts'
import { type CompiledModule, type Imports, Instance } from './web-assembly.ts'

/** Linear memory: static data, then 5 MiB of stack growing down, then the heap. */
const STATIC_END = 128 << 10
/** More than the stack that the limit lets a script use. */
const STACK_ZONE = GUEST_STACK_BYTES + (128 << 10)

/** More than the heap has at first, so that its end must move. */
const HEAP_TRIED = 512 << 10

const SCRATCH_BYTES = 64
/** The last place of the scratch memory; the first ones hold arguments. */
const SCRATCH_VALUE = SCRATCH_BYTES - 8

const EVAL_GLOBAL = 0 as EvalFlags
const EVAL_MODULE = 1 as EvalFlags
const COMPILE_MODULE = (1 | 32) as EvalFlags
const NO_DETECT = 0 as EvalDetectModule
const ALL_INTRINSICS = 0 as IntrinsicsFlags
const HOST = 1 as HostRefId

export interface Image {
  staticData: Uint8Array
  heap: Uint8Array
}

/** The arguments of the guest besides its text: strings and ArrayBuffers. */
export interface Extras {
  text(index: number): string
  /** Returns a copy. */
  bytes(index: number): Uint8Array
}

export interface Host {
  /** Returns text or bytes; throws only to end the run. */
  call(operation: string, text: string, extras: Extras): string | Uint8Array
  /** Answers a call whose text or bytes are too large to be read. */
  refuse(operation: string): string
  shouldInterrupt(): boolean
}

/** The guest's description of an error. */
export interface GuestWords {
  name: string
  message: string
  stack: string
  /** The error arose while the result was written as JSON. */
  serialising?: boolean
  /** The error is the reason of a rejected promise that nothing awaited. */
  unawaited?: boolean
}

/** The guest threw. */
export class GuestError extends Error {
  readonly words: GuestWords
  constructor(words: GuestWords) {
    super(`${words.name}: ${words.message}`)
    this.words = words
  }
}

/** The guest passed more than MAX_CROSSING_BYTES. */
export class TooLarge extends Error {}

const OUT_OF_MEMORY: GuestWords = { name: 'InternalError', message: 'out of memory', stack: '' }
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
  readonly #heapStart: number
  readonly #breakAddress: number
  readonly #encoder = new TextEncoder()
  #runtime = 0 as JSRuntimePointer
  #context = 0 as JSContextPointer
  #scratch = 0
  readonly #host: Host
  /** Why the host could not answer the guest. An exception must not cross WebAssembly frames, so it waits here. */
  #fault: unknown = null
  #withheld: { start: number; end: number } | null = null
  readonly #onRejection: number
  /** The rejected promises that nothing awaits yet, held so that no other value gets their address. */
  readonly #unhandled = new Map<number, JSValuePointer>()

  static async create(compiled: CompiledModule, host: Host, memory = new CappedMemory()): Promise<QuickJs> {
    const load = loadModule as unknown as EmscriptenModuleLoader<QuickJSEmscriptenModule>
    let instance!: Instance
    const module = await load({
      wasmMemory: memory,
      print() {},
      printErr() {},
      instantiateWasm(imports: Imports, done: (instance: object) => void) {
        instance = new Instance(compiled, imports)
        done(instance)
        return {}
      },
    } as never)
    return new QuickJs(module, instance, memory, host)
  }

  private constructor(module: QuickJSEmscriptenModule, instance: Instance, memory: CappedMemory, host: Host) {
    this.#module = module
    this.#memory = memory
    this.#host = host
    this.#ffi = new QuickJSFFI(module)
    module.callbacks = {
      callFunction: (_: unknown, _context: number, _this: number, argc: number, argv: number) =>
        this.#called(argc, argv),
      shouldInterrupt: () => (this.#fault !== null || this.#host.shouldInterrupt() ? 1 : 0),
      freeHostRef() {},
    } as never
    this.#onRejection = placeInTable(instance, (_, promise, _reason, isHandled) => this.#rejected(promise, isHandled))
    this.#heapStart = module._malloc(16) & ~0xfff
    this.#breakAddress = this.#findBreak()
  }

  /** Returns where the allocator keeps the end of the heap, found by watching it move; -1 if it is not found. */
  #findBreak(): number {
    const { buffer } = this.#memory
    // Saves only these parts of the memory: a page that was never written to takes no memory of the machine.
    const staticData = new Uint32Array(buffer, 0, STATIC_END >> 2)
    const heap = new Uint32Array(buffer, this.#heapStart, HEAP_TRIED >> 2)
    const staticBefore = staticData.slice()
    const heapBefore = heap.slice()
    this.#module._malloc(HEAP_TRIED - PAGE_BYTES)
    let found = -1
    let end = this.#heapStart
    for (let i = 0; i < staticData.length; i++) {
      const word = staticData[i]!
      if (word === staticBefore[i] || word <= end || word > buffer.byteLength) continue
      found = i << 2
      end = word
    }
    staticData.set(staticBefore)
    heap.set(heapBefore)
    return found
  }

  #heapEnd(): number {
    const size = this.#memory.buffer.byteLength
    const end = this.#breakAddress === -1 ? size : new Uint32Array(this.#memory.buffer)[this.#breakAddress >> 2]!
    return end > this.#heapStart && end <= size ? end : size
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength
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

  /** Takes over an image made by another instance of the same build. */
  adopt(other: QuickJs): void {
    this.#runtime = other.#runtime
    this.#context = other.#context
    this.#scratch = other.#scratch
  }

  save(): Image {
    const bytes = new Uint8Array(this.#memory.buffer)
    return { staticData: bytes.slice(0, STATIC_END), heap: bytes.slice(this.#heapStart, this.#heapEnd()) }
  }

  restore(image: Image): void {
    this.#fault = null
    this.#unhandled.clear()
    const dirtyEnd = this.#heapEnd()
    const end = this.#heapStart + image.heap.length
    if (end > this.#memory.buffer.byteLength) throw new RangeError('the image is larger than the memory')
    this.#memory.capBytes = Number.POSITIVE_INFINITY
    const bytes = new Uint8Array(this.#memory.buffer)
    bytes.set(image.staticData)
    bytes.fill(0, this.#heapStart - STACK_ZONE, this.#heapStart)
    bytes.set(image.heap, this.#heapStart)
    const untouched = this.#withheld ?? { start: dirtyEnd, end: dirtyEnd }
    this.#withheld = null
    bytes.fill(0, end, Math.max(end, untouched.start))
    bytes.fill(0, Math.max(end, untouched.end), Math.max(end, dirtyEnd))
  }

  /** Lets the heap grow by this number of bytes from now on. */
  limitMemory(bytes: number): void {
    this.#memory.capBytes = Math.ceil((this.#heapEnd() + bytes) / PAGE_BYTES) * PAGE_BYTES
    this.#ffi.QTS_RuntimeSetMemoryLimit(this.#runtime, bytes)
  }

  /** Takes memory beyond the limit away from the guest, until the next image is put back. */
  withholdMemory(): void {
    const surplus = this.#memory.buffer.byteLength - this.#memory.capBytes
    if (surplus <= 0) return
    const start = this.#module._malloc(surplus)
    this.#withheld = start === 0 ? null : { start, end: start + surplus }
  }

  evaluate(source: string, name: string, asModule = false): JSValuePointer {
    return this.#evaluate(source, name, asModule ? EVAL_MODULE : EVAL_GLOBAL)
  }

  /** Compiles a module without running any of it; `import(name)` finds it. */
  compile(source: string, name: string): void {
    this.#evaluate(source, name, COMPILE_MODULE)
  }

  #evaluate(source: string, name: string, flags: EvalFlags): JSValuePointer {
    const bytes = this.#encoder.encode(source)
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

  /** Returns whether the promise was rejected; a run's promise is only if it had no memory left to say why. */
  isRejected(promise: JSValuePointer): boolean {
    return this.#ffi.QTS_PromiseState(this.#context, promise) === 2
  }

  /** Runs the next job of promises; returns false if none is left. */
  runJob(): boolean {
    const ran = this.#ffi.QTS_ExecutePendingJob(this.#runtime, 1, this.#scratch as JSContextPointerPointer)
    this.#ffi.QTS_FreeValuePointer(this.#context, this.#unwrap(ran))
    return this.#ffi.QTS_IsJobPending(this.#runtime) !== 0
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
        if (length > MAX_CROSSING_BYTES) throw new TooLarge()
        const copy = ffi.QTS_GetArrayBuffer(this.#context, extra(index))
        if (!copy) throw new GuestError(OUT_OF_MEMORY)
        const bytes = new Uint8Array(this.#memory.buffer).slice(copy, copy + length)
        this.#module._free(copy)
        return bytes
      },
    }
    const answer = this.#ask(operation, () => (argc > 1 ? this.#readString(argument(1)) : ''), extras)
    if (typeof answer === 'string') return this.#newString(answer)
    return ffi.QTS_NewArrayBuffer(this.#context, this.#write(answer) as never, answer.length)
  }

  #ask(operation: string, text: () => string, extras: Extras): string | Uint8Array {
    try {
      return this.#host.call(operation, text(), extras)
    } catch (error) {
      if (error instanceof TooLarge) return this.#host.refuse(operation)
      throw error
    }
  }

  #readString(value: JSValueConstPointer | JSValuePointer): string {
    const pointer = this.#ffi.QTS_GetString(this.#context, value)
    if (!pointer) throw new GuestError(OUT_OF_MEMORY)
    const end = new Uint8Array(this.#memory.buffer).indexOf(0, pointer)
    const text = end - pointer > MAX_CROSSING_BYTES ? null : this.#module.UTF8ToString(pointer)
    this.#ffi.QTS_FreeCString(this.#context, pointer)
    if (text === null) throw new TooLarge()
    return text
  }

  #newString(text: string): JSValuePointer {
    const pointer = this.#write(this.#encoder.encode(text))
    const value = this.#ffi.QTS_NewString(this.#context, pointer as never)
    this.#module._free(pointer)
    return value
  }

  #write(bytes: Uint8Array): number {
    const pointer = this.#module._malloc(bytes.length + 1)
    if (pointer === 0) throw new GuestError(OUT_OF_MEMORY)
    const memory = new Uint8Array(this.#memory.buffer)
    memory.set(bytes, pointer)
    memory[pointer + bytes.length] = 0
    return pointer
  }
}
