import { Memory } from './web-assembly.ts'

export const PAGE_BYTES = 64 << 10

/**
 * Bounds the guest's memory. QuickJS's own limit does not: this build cannot tell the size of a block, so QuickJS counts
 * eight bytes for each. Emscripten takes a failed `grow` as the end of memory, and QuickJS throws.
 */
export class CappedMemory extends Memory {
  capBytes = Number.POSITIVE_INFINITY

  constructor() {
    super({ initial: 256, maximum: 32768 })
  }

  override grow(pages: number): number {
    if (this.buffer.byteLength + pages * PAGE_BYTES > this.capBytes) throw new RangeError('the memory limit is reached')
    return super.grow(pages)
  }
}
