import type { Bounds } from './host.ts'

/** Bounds that no test of the engine itself reaches. */
export const wideBounds: Bounds = {
  crossingBytes: 1 << 20,
  argumentBytes: 1 << 20,
  callStackBytes: 1 << 20,
  memoryBytes: 1 << 30,
  freeLooks: 0,
  areTold: true,
}
