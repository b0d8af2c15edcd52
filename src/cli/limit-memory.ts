// Keeps the heap of the service small: docs/decisions/014-memory-of-the-process.md has the reason and the measurements.
import { setFlagsFromString } from 'node:v8'

export function limitMemory(): void {
  // V8 reads this at each collection.
  setFlagsFromString('--heap-growing-percent=50')
  // Else V8 makes ticks and responses among the old objects, and all that they name stays until the next full collection.
  setFlagsFromString('--no-allocation-site-pretenuring')
  // The launchers set this flag for the heap of the event loop, which exists by now. V8 would put it above the limits of threads.
  setFlagsFromString('--max-semi-space-size=0')
}
