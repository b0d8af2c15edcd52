// The linear memory of one instance, whose used part can be saved as an image and put back. QuickJS keeps nothing outside it
// but the stack pointer; so putting an image back undoes everything that a script did, wherever it was stopped.
import { GUEST_STACK_BYTES } from '../limits.ts'
import { type CappedMemory, PAGE_BYTES } from './capped-memory.ts'
import { METER } from './metered-wasm.ts'
import type { Global, Instance } from './web-assembly.ts'

/** Linear memory: static data, then 5 MiB of stack growing down, then the heap. */
const STATIC_END = 128 << 10
/** More than the stack that the limit lets a script use. */
const STACK_ZONE = GUEST_STACK_BYTES + (128 << 10)
/** A C function that calls no other may write this far below the stack pointer without moving it. */
const RED_ZONE = 128

/** More than the heap has at first, so that its end must move. */
const HEAP_TRIED = 512 << 10

/** Not in shared memory: to copy from there takes four times as long. */
export interface Image {
  staticData: Uint8Array
  heap: Uint8Array
}

export class GuestMemory {
  /** Where the stack begins, downwards, and the heap, upwards. */
  readonly #base: number
  readonly #memory: CappedMemory
  readonly #malloc: (bytes: number) => number
  readonly #stackPointer: Global
  readonly #stackLow: Global
  /** Where the allocator keeps the end of the heap; -1 if it is not known. */
  readonly breakAddress: number
  #image: Image | null = null
  #withheld: { start: number; end: number } | null = null

  constructor(
    memory: CappedMemory,
    instance: Instance,
    malloc: (bytes: number) => number,
    breakAddress: number | null,
  ) {
    this.#memory = memory
    this.#malloc = malloc
    this.#stackPointer = instance.exports[METER.stackPointer] as Global
    this.#stackLow = instance.exports[METER.stackLow] as Global
    this.#base = this.#stackPointer.value
    this.breakAddress = breakAddress ?? this.#findBreak()
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#memory.buffer)
  }

  get size(): number {
    return this.#memory.buffer.byteLength
  }

  get stackUsed(): number {
    return this.#base - this.#stackPointer.value
  }

  /** Finds the end of the heap by watching it move. */
  #findBreak(): number {
    const { buffer } = this.#memory
    // Saves only these parts of the memory: a page that was never written to takes no memory of the machine.
    const staticData = new Uint32Array(buffer, 0, STATIC_END >> 2)
    const heap = new Uint32Array(buffer, this.#base, HEAP_TRIED >> 2)
    const staticBefore = staticData.slice()
    const heapBefore = heap.slice()
    this.#malloc(HEAP_TRIED - PAGE_BYTES)
    let found = -1
    let end = this.#base
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
    const { size } = this
    const end = this.breakAddress === -1 ? size : new Uint32Array(this.#memory.buffer)[this.breakAddress >> 2]!
    return end > this.#base && end <= size ? end : size
  }

  save(): Image {
    const { bytes } = this
    return { staticData: bytes.slice(0, STATIC_END), heap: bytes.slice(this.#base, this.#heapEnd()) }
  }

  restore(image: Image): void {
    const dirtyEnd = this.#heapEnd()
    const end = this.#base + image.heap.length
    if (end > this.size) throw new RangeError('the image is larger than the memory')
    this.#memory.capBytes = Number.POSITIVE_INFINITY
    const { bytes } = this
    bytes.set(image.staticData)
    // After another text the whole stack is cleared, for the case that a fault in QuickJS let it write anywhere.
    const low = this.#image === image ? this.#stackLow.value - RED_ZONE : this.#base - STACK_ZONE
    bytes.fill(0, Math.min(low, this.#base), this.#base)
    this.#stackPointer.value = this.#base
    this.#stackLow.value = this.#base
    bytes.set(image.heap, this.#base)
    const untouched = this.#withheld ?? { start: dirtyEnd, end: dirtyEnd }
    this.#withheld = null
    this.#image = image
    bytes.fill(0, end, Math.max(end, untouched.start))
    bytes.fill(0, Math.max(end, untouched.end), Math.max(end, dirtyEnd))
  }

  /** Lets the heap grow by this number of bytes from now on. */
  limit(bytes: number): void {
    this.#memory.capBytes = Math.ceil((this.#heapEnd() + bytes) / PAGE_BYTES) * PAGE_BYTES
  }

  /** Takes memory beyond the limit away from the guest, until the next image is put back. */
  withhold(): void {
    const surplus = this.size - this.#memory.capBytes
    if (surplus <= 0) return
    const start = this.#malloc(surplus)
    this.#withheld = start === 0 ? null : { start, end: start + surplus }
  }
}
