// What an instance asks of its host.

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
  readonly bounds: Bounds
}

export interface Bounds {
  /** The largest text or byte list that crosses at once. */
  crossingBytes: number
  /** The host is not called from deeper in the stack, where its own functions might lack stack. */
  callStackBytes: number
  /** The largest JSON that the host reads for the guest, other than its result. */
  argumentBytes: number
  /** The most by which the heap grows. */
  memoryBytes: number
  /** How often the guest lets the host look at the clock before it can be interrupted. */
  freeLooks: number
  /** Whether the guest gets to know that it reached a limit; if not, the run ends with NotShort. */
  areTold: boolean
}
