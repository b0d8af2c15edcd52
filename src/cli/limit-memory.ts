// Keeps the heap of the service small: docs/decisions/014-memory-of-the-process.md has the reason and the measurements.
import { setFlagsFromString } from 'node:v8'

export function limitMemory(): void {
  // V8 reads this at each collection.
  setFlagsFromString('--heap-growing-percent=50')
  // The launchers set this flag for the heap of the event loop, which exists by now. V8 would put it above the limits of threads.
  setFlagsFromString('--max-semi-space-size=0')
}
